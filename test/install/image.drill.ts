import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "@dayferry/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, letPass } from "../support/eventually.ts";
import { serviceConfig, testSandbox } from "../support/sandbox.ts";

// The image built by scripts/image.sh, both its files and running: root read-only, nothing but /data and /tmp to write
// to, an account without rights. Namespaces do what an engine does, so that none is needed.

const folder = process.env["DAYFERRY_IMAGE"] ?? "";
const own = process.env["DAYFERRY_IMAGE_PROCESSOR"] ?? "";
const manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"),
);
const account = 1000;

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Volumes: object;
  readonly ExposedPorts: object;
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

const imageOf = (processor: string) => {
  const text = readFileSync(join(folder, `${processor}.json`), "utf8");
  const { Docker } = JSON.parse(text);
  const config: ImageConfig = Docker.config;
  return { config, architecture: String(Docker.architecture) };
};

/** Source: ELF, e_machine. */
const machines: ReadonlyMap<string, number> = new Map([
  ["amd64", 62],
  ["arm64", 183],
]);

describe.skipIf(folder === "").each(["amd64", "arm64"])("the image for %s", (processor) => {
  const root = join(folder, processor);

  it("names itself, its user and what it needs", () => {
    const { config, architecture } = imageOf(processor);
    expect(architecture).toBe(processor);
    expect(config.User).toBe("1000:1000");
    expect(Object.keys(config.Volumes)).toEqual(["/data"]);
    expect(Object.keys(config.ExposedPorts)).toEqual(["8380/tcp"]);
    expect([config.Entrypoint, config.Cmd]).toEqual([["dayferry"], ["serve"]]);
    expect(config.Healthcheck.Test[0]).toBe("CMD");
    const said = "org.opencontainers.image";
    expect(config.Labels).toMatchObject({
      [`${said}.title`]: "Dayferry",
      [`${said}.version`]: manifest.version,
      [`${said}.licenses`]: manifest.license,
      [`${said}.created`]: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it("contains SQLite for this processor only", () => {
    const prebuilds = join(root, "app/node_modules/better-sqlite3/prebuilds");
    expect(readdirSync(prebuilds)).toHaveLength(1);
    const library = readFileSync(join(prebuilds, readdirSync(prebuilds).join("")));
    expect(library.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
    expect(library.readUInt16LE(18)).toBe(machines.get(processor));
  });

  it("contains its bill of materials, licences and manual page, and no sources", () => {
    for (const name of ["sbom.cdx.json", "THIRD-PARTY-LICENSES.txt", "LICENSE", "man/dayferry.1"]) {
      expect(existsSync(join(root, "app", name))).toBe(true);
    }
    for (const name of ["src", "scripts", "web/page.ts", "node_modules/typescript"]) {
      expect(existsSync(join(root, "app", name))).toBe(false);
    }
  });

  it("is at most 60 MB larger than its base", () => {
    const size = Number(readFileSync(join(folder, `${processor}.size`), "utf8"));
    expect(size).toBeGreaterThan(3_000_000);
    expect(size).toBeLessThan(60_000_000);
  });
});

/** Mounts the volumes over a read-only root, and runs what follows as the account of the image. */
const startUp = `set -e
root=$1 data=$2 config=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,ro,bind "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
mount --bind "$config" "$root/config"
mount -o remount,ro,bind "$root/config"
exec env -i "$@"`;

describe.skipIf(folder === "")("a container", () => {
  const root = realRoot();
  const places = mkdtempSync(join(tmpdir(), "dayferry-image-"));
  const [data, config] = [join(places, "data"), join(places, "config")];
  let sandbox: Sandbox;
  let port = 0;

  beforeAll(async () => {
    sandbox = await testSandbox({ size: "s" });
    port = await freePort();
    for (const place of [data, config, join(config, "secrets")]) mkdirSync(place);
    chownSync(data, account, account);
    const { apiKey = "", ...service } = serviceConfig(sandbox);
    secret("api-key", apiKey);
    secret("admin-token", token);
    const written = {
      service: { ...service, apiKeyFile: "./secrets/api-key" },
      adminTokenFile: "./secrets/admin-token",
    };
    writeFileSync(join(config, "config.json"), JSON.stringify(written));
    // Engines make the mount point of a volume.
    mkdirSync(join(root, "config"), { recursive: true });
  });
  afterAll(async () => {
    await sandbox.close();
    rmSync(places, { recursive: true, force: true });
  });

  const token = "a-token-for-the-trial-of-the-image-long-enough";

  function secret(name: string, text: string): void {
    const file = join(config, "secrets", name);
    writeFileSync(file, text);
    chownSync(file, account, account);
    chmodSync(file, 0o400);
  }

  /** What runs in the container: the variables of the image, then the program as its account without any right. */
  const line = (program: readonly string[]): readonly string[] => {
    const { Env, WorkingDir } = imageOf(own).config;
    const rights = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
    return [
      ...Env,
      `DAYFERRY_PORT=${port}`,
      "DAYFERRY_HOST=127.0.0.1",
      "chroot",
      root,
      ...["setpriv", `--reuid=${account}`, `--regid=${account}`, ...rights],
      ...["sh", "-c", 'cd "$0" && exec "$@"', WorkingDir, ...program],
    ];
  };
  const isolated = ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", startUp, "sh"];
  const runOnce = (...program: readonly string[]) =>
    spawnSync("unshare", [...isolated, root, data, config, ...line(program)], { encoding: "utf8" });

  function start(command: readonly string[] = imageOf(own).config.Cmd) {
    const { Entrypoint } = imageOf(own).config;
    const args = [...isolated, root, data, config, ...line([...Entrypoint, ...command])];
    const child: ChildProcess = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    child.stderr?.on("data", (chunk) => {
      log += chunk;
    });
    const closed = once(child, "close");
    /** The container's process 1, by its number outside. */
    const first = () =>
      Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim());
    return {
      log: () => log,
      ready: () =>
        eventually("everything is read", async () => {
          if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log}`);
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
          return answer?.ok ? true : null;
        }),
      /** Like \`docker exec\`. */
      run: (...program: readonly string[]) =>
        spawnSync(
          "nsenter",
          ["--target", String(first()), "--mount", "--pid", "env", "-i", ...line(program)],
          { encoding: "utf8" },
        ),
      signal: () => void process.kill(first(), "SIGTERM"),
      async ended() {
        const began = performance.now();
        const [code]: readonly unknown[] = await closed;
        return { code, ms: performance.now() - began };
      },
    };
  }

  const headers = { authorization: `Bearer ${token}` };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });

  async function states(): Promise<readonly string[]> {
    const edits = await (await ask("/api/edits")).text();
    return [...edits.matchAll(/"state": ?"(\w+)"/g)].map(([, state = ""]) => state);
  }

  it("prints its version", () => {
    expect(runOnce("dayferry", "--version")).toMatchObject({
      status: 0,
      stdout: `${manifest.version}\n`,
    });
  });

  it("runs as an unprivileged user and writes only to its volume and /tmp", () => {
    const tried = runOnce(
      "sh",
      "-c",
      `id -u; grep CapEff /proc/self/status
      for place in /app /etc /usr/local/bin /config /data /tmp; do
        if touch "$place/x" 2>/dev/null; then echo "$place"; fi
      done; rm /data/x`,
    );
    expect(tried.stdout).toBe(`${account}\nCapEff:\t0000000000000000\n/data\n/tmp\n`);
  });

  it("serves feeds, is healthy, and accepts commands", async () => {
    const daemon = start();
    await daemon.ready();
    const check = imageOf(own).config.Healthcheck.Test.slice(1);
    expect(daemon.run(...check).status).toBe(0);
    const listed = daemon.run("dayferry", "feeds", "list", "--json");
    expect([listed.status, listed.stderr]).toEqual([0, ""]);
    const [feed] = JSON.parse(listed.stdout);
    const calendar = await fetch(feed.url);
    expect([calendar.status, await calendar.text()]).toEqual([
      200,
      expect.stringContaining("BEGIN:VEVENT"),
    ]);
    const report = daemon.run("dayferry", "report", "agenda");
    expect([report.status, report.stderr]).toEqual([0, ""]);
    const page = await fetch(`http://127.0.0.1:${port}/login`);
    expect(await page.text()).toMatch(/page-[\w-]+\.js/);
    for (const text of [token, sandbox.keys[0]?.apiKey ?? ""]) {
      expect(daemon.log()).not.toContain(text);
    }
    daemon.signal();
    expect((await daemon.ended()).code).toBe(0);
  });

  it("is not healthy when nothing answers", () => {
    const check = imageOf(own).config.Healthcheck.Test.slice(1);
    expect(runOnce(...check).status).toBe(1);
  });

  it("ends within ten seconds of SIGTERM and keeps the edit under way", async () => {
    const daemon = start();
    await daemon.ready();
    const { project } = sandbox.workspace.places()[0] ?? { project: 0 };
    sandbox.faults.add({ kind: "hang-before", method: "POST", path: /calendarevents|events/ });
    const answer = await ask(`/api/edits?project=${project}`, { method: "POST", body: event });
    expect(answer.status).toBe(202);
    await eventually("the edit is under way", async () => {
      return (await states()).includes("claimed") || null;
    });
    daemon.signal();
    const { code, ms } = await daemon.ended();
    expect(ms).toBeLessThan(10_000);
    expect([0, 1]).toContain(code);
    sandbox.faults.clear();

    const next = start();
    await next.ready();
    await eventually(
      "the edit arrives",
      async () => (await states()).every((state) => state === "confirmed") || null,
    );
    next.signal();
    expect((await next.ended()).code).toBe(0);
  });

  it("ends at once on a second SIGTERM", async () => {
    // A silent mail server delays whoever waits for it.
    const waiting = new Set<Socket>();
    const silent = createServer((socket) => void waiting.add(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const written = JSON.parse(readFileSync(join(config, "config.json"), "utf8"));
    const smtpUrl = `smtp://127.0.0.1:${portOf(silent)}?ignoreTLS=true`;
    const mail = { smtpUrl, from: "Dayferry <dayferry@example.com>" };
    writeFileSync(join(config, "mail.json"), JSON.stringify({ ...written, mail }));
    const doctor = start(["doctor", "--config", "/config/mail.json"]);
    await eventually("it waits for the mail server", () => waiting.size > 0 || null);
    doctor.signal();
    await letPass(400);
    doctor.signal();
    const { code } = await doctor.ended();
    for (const socket of waiting) socket.destroy();
    silent.close();
    expect(code).toBe(143);
  });

  function realRoot(): string {
    return folder === ""
      ? ""
      : execFileSync("realpath", [join(folder, own)], { encoding: "utf8" }).trim();
  }
});

const event = `BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Trial//EN\r
BEGIN:VEVENT\r
UID:trial-of-the-image\r
DTSTAMP:20261101T000000Z\r
DTSTART;VALUE=DATE:20261201\r
DTEND;VALUE=DATE:20261202\r
SUMMARY:Made while the container ends\r
END:VEVENT\r
END:VCALENDAR\r
`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const port = portOf(server);
      server.close(() => resolve(port));
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
