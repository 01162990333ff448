import { ana, startApp, token } from "./people-rig.ts";

/** The pages as a browser of the admin or of a person gets them. */
export async function browserOf(
  who: "admin" | "ana",
  setting: Parameters<typeof startApp>[0] = {},
) {
  const made = await startApp(setting);
  const { call, people, feeds } = made;
  feeds.ensure();
  const given = people.setPassword(ana);
  const password = given.kind === "set" ? given.password : "";
  const login = who === "admin" ? { token } : { login: "ana@example.com", password };
  const form = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
  const entered = await call("POST /login", {
    headers: { ...form, origin: "https://calendar.example.com" },
    body: new URLSearchParams({ ...login, next: "" }).toString(),
  });
  const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const get = (path: string) => call(`GET ${path}`, { headers: { ...form, cookie } });
  async function post(
    path: string,
    fields: readonly (readonly [string, string])[],
    more: Readonly<Record<string, string>> = {},
  ) {
    const [, formToken = ""] = /name="form" value="([^"]+)"/.exec((await get("/feeds")).text) ?? [];
    const body = new URLSearchParams([["form", formToken], ...fields.map(([a, b]) => [a, b])]);
    return call(`POST ${path}`, {
      headers: { ...form, cookie, origin: "https://calendar.example.com", ...more },
      body: body.toString(),
    });
  }
  return { ...made, get, post };
}

/** The first QR code of a page as a camera sees it: each module 8 pixels wide, on white. */
export function pixelsOf(page: string) {
  const [, size = "0", path = ""] =
    /<svg class="qr"[^>]*viewBox="0 0 (\d+) \d+"[^>]*><path d="([^"]+)"/.exec(page) ?? [];
  const scale = 8;
  const side = Number(size) * scale;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, kind, dx, dy] of path.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)h1v1(?:H\d+|h-1)Z/g)) {
    [x, y] = kind === "M" ? [Number(dx), Number(dy)] : [x + Number(dx), y + Number(dy)];
    for (let row = y * scale; row < (y + 1) * scale; row++) {
      for (let column = x * scale; column < (x + 1) * scale; column++) {
        data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3);
      }
    }
  }
  return { width: side, height: side, data };
}
