import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as apps from "kubernetes-models/apps/v1";
import * as networking from "kubernetes-models/networking.k8s.io/v1";
import * as core from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseConfig } from "../../src/config/load.ts";

// The manifests against Kubernetes' own schemas, and against what the image and the configuration say.

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "deploy/kubernetes");
const files = readdirSync(folder).filter((name) => name !== "kustomization.yaml");
const read = (name: string) => parse(readFileSync(join(folder, name), "utf8"));

const models = {
  ConfigMap: { group: "v1", make: core.ConfigMap },
  Ingress: { group: "networking.k8s.io/v1", make: networking.Ingress },
  Namespace: { group: "v1", make: core.Namespace },
  NetworkPolicy: { group: "networking.k8s.io/v1", make: networking.NetworkPolicy },
  Secret: { group: "v1", make: core.Secret },
  Service: { group: "v1", make: core.Service },
  StatefulSet: { group: "apps/v1", make: apps.StatefulSet },
};
const isKind = (kind: string): kind is keyof typeof models => kind in models;

function modelOf(manifest: { readonly apiVersion: string; readonly kind: string }) {
  if (!isKind(manifest.kind)) throw new Error(`${manifest.kind} has no schema here`);
  const { group, make: Model } = models[manifest.kind];
  expect(manifest.apiVersion).toBe(group);
  return new Model(JSON.parse(JSON.stringify(manifest)));
}

describe("deploy/kubernetes", () => {
  it.each(files)("is valid by its schema in %s", (name) => {
    expect(() => modelOf(read(name)).validate()).not.toThrow();
  });

  it("would fail its schema with a value of the wrong kind", () => {
    const manifest = read("statefulset.yaml");
    manifest.spec.replicas = "one";
    expect(() => modelOf(manifest).validate()).toThrow(/replicas/);
  });

  it("uses no field that its schema does not know", () => {
    // A literal may not have fields that its type lacks, which is stricter than the schemas.
    const check = (
      manifests: readonly { readonly kind: string; readonly apiVersion: string }[],
    ) => {
      const place = join(root, "node_modules/.cache/dayferry-kubernetes");
      mkdirSync(place, { recursive: true });
      const lines = manifests.map(
        (
          manifest,
          index,
        ) => `import type { I${manifest.kind} as T${index} } from "kubernetes-models/${manifest.apiVersion}";
export const _${index}: T${index} = ${JSON.stringify(manifest)};`,
      );
      writeFileSync(join(place, "manifests.ts"), lines.join("\n"));
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const options = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "nodenext",
        "--ignoreConfig",
      ];
      const ran = spawnSync(process.execPath, [tsc, ...options, join(place, "manifests.ts")], {
        encoding: "utf8",
      });
      rmSync(place, { recursive: true, force: true });
      return ran;
    };
    const manifests = files.map(read);
    const { status, stdout } = check(manifests);
    expect([status, stdout]).toEqual([0, ""]);
    const wrong = read("statefulset.yaml");
    wrong.spec.template.spec.containers[0].livenesProbe = {};
    expect(check([wrong]).stdout).toContain("livenesProbe");
  });

  it("is listed completely by its kustomization", () => {
    expect(read("kustomization.yaml").resources.toSorted()).toEqual(files.toSorted());
  });

  it("runs one daemon on its volume, with no more rights than the image needs", () => {
    const { spec } = read("statefulset.yaml");
    expect(spec.replicas).toBe(1);
    const pod = spec.template.spec;
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const [container] = pod.containers;
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
    expect(dockerfile).toContain("USER 1000:1000");
    expect(dockerfile).toContain(`EXPOSE ${container.ports[0].containerPort}`);
    const claims = spec.volumeClaimTemplates.map(
      (claim: { metadata: { name: string } }) => claim.metadata.name,
    );
    const volumes = [...claims, ...pod.volumes.map(({ name }: { name: string }) => name)];
    expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes);
    // The daemon ends by itself within eight seconds.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(10);
    for (const probe of ["startupProbe", "livenessProbe"]) {
      expect(container[probe].httpGet.path).toBe("/healthz");
    }
    expect(container.readinessProbe.httpGet.path).toBe("/readyz");
  });

  it("has a configuration that the daemon accepts, with each secret as an existing file", () => {
    const { stringData } = read("secret.yaml");
    const text: string = read("configuration.yaml").data["config.json"];
    const secrets = join(root, "node_modules/.cache/dayferry-secrets");
    mkdirSync(secrets, { recursive: true });
    for (const [name, value] of Object.entries(stringData)) {
      writeFileSync(join(secrets, name), String(value));
    }
    const config = JSON.parse(text.replaceAll('"/secrets/', `"${secrets}/`));
    const parsed = parseConfig(config, { folder: "/config", env: {}, cwd: "/app" });
    rmSync(secrets, { recursive: true, force: true });
    expect(parsed).toMatchObject({ ok: true });
  });
});
