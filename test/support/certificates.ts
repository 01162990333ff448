import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { onTestFinished } from "vitest";

/** What a TLS server shows, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The names of a certificate, and the days around today between which it is valid. */
interface Claim {
  /** As `DNS:localhost,IP:127.0.0.1`; those two unless given. */
  readonly names?: string;
  readonly fromDay?: number;
  readonly toDay?: number;
}

/** A private authority with a real key. */
export interface Authority {
  readonly cert: string;
  /** The certificate of a server that is its own authority. */
  readonly own: Certificate;
  sign(claim?: Claim): Certificate;
}

/** Whether certificates can be made here; it takes openssl. */
export function canSign(): boolean {
  try {
    openssl(tmpdir(), ["version"]);
    return true;
  } catch {
    return false;
  }
}

/** Makes an authority whose folder is removed after the test. */
export function createAuthority(name = "Authority of a test"): Authority {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-ca-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const get = (file: string) => readFileSync(join(folder, file), "utf8");
  put("index.txt", "");
  put("serial", "01\n");
  put("ca.cnf", settings);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const self = ["req", "-x509", "-config", "ca.cnf", "-extensions", "authority", "-days", "30"];
  openssl(folder, [
    ...self,
    ...newKey,
    "-subj",
    `/CN=${name}`,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
  ]);
  let count = 0;
  const own = { cert: get("ca.pem"), key: get("ca.key") };
  return {
    own,
    cert: own.cert,
    sign({ names = "DNS:localhost,IP:127.0.0.1", fromDay = -2, toDay = 20 } = {}) {
      count += 1;
      const [key, asked, cert] = [`${count}.key`, `${count}.csr`, `${count}.pem`];
      put("leaf.cnf", `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`);
      const subject = ["-config", "ca.cnf", "-subj", `/CN=leaf ${count}`];
      openssl(folder, ["req", "-new", ...subject, ...newKey, "-keyout", key, "-out", asked]);
      const span = ["-startdate", stamp(fromDay), "-enddate", stamp(toDay)];
      const by = ["-config", "ca.cnf", "-extfile", "leaf.cnf", "-batch", "-notext"];
      openssl(folder, ["ca", ...by, ...span, "-in", asked, "-out", cert]);
      return { key: get(key), cert: get(cert) };
    },
  };
}

/** Also trusts these authorities until the test ends, as NODE_EXTRA_CA_CERTS does for a whole process. */
export function trust(...authorities: readonly Authority[]): void {
  const usual = getCACertificates("bundled");
  setDefaultCACertificates([...usual, ...authorities.map(({ cert }) => cert)]);
  onTestFinished(() => setDefaultCACertificates(usual));
}

const settings = `[ req ]
distinguished_name = subject
[ subject ]
[ authority ]
basicConstraints = critical,CA:TRUE
[ ca ]
default_ca = own
[ own ]
dir = .
database = index.txt
serial = serial
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
unique_subject = no
[ any ]
commonName = supplied
`;

/** In openssl's format: YYMMDDHHMMSSZ. */
function stamp(day: number): string {
  const at = Temporal.Now.instant()
    .add({ hours: 24 * day })
    .round("second");
  return at.toString().slice(2).replaceAll(/[-:T]/g, "");
}

function openssl(cwd: string, args: readonly string[]): void {
  execFileSync("openssl", args, { cwd, stdio: "pipe" });
}
