// What HTTP and SQLite allow: a calendar server without users, conditions, validation and XML reader, in as few lines as
// do the work. Arguments: database, NORMAL or FULL, how many events the large calendar holds.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Database from "better-sqlite3";
import { largeText, nameOf } from "./event-text.ts";

const [file = "", pace = "", large = "0"] = process.argv.slice(2);
const db = new Database(file);
db.pragma("journal_mode = WAL");
db.pragma(`synchronous = ${pace}`);
db.exec(`CREATE TABLE items (path TEXT PRIMARY KEY, folder TEXT, etag TEXT, body TEXT, start TEXT, rev INTEGER);
  CREATE INDEX by_rev ON items (folder, rev); CREATE INDEX by_start ON items (folder, start)`);
const put = db.prepare("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?)");
const get = db.prepare<string, Item>("SELECT * FROM items WHERE path = ?");
const all = db.prepare<string, Item>("SELECT path, etag FROM items WHERE folder = ?");
const since = db.prepare<[string, number], Item>(
  "SELECT * FROM items WHERE folder = ? AND rev > ?",
);
const between = db.prepare<[string, string, string], Item>(
  "SELECT path, etag FROM items WHERE folder = ? AND start >= ? AND start < ?",
);
type Item = { readonly path: string; readonly etag: string; readonly body: string };
let rev = 0;

function store(path: string, body: string): string {
  const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
  const start = /^DTSTART:(.*)$/m.exec(body)?.[1] ?? "";
  put.run(path, path.slice(0, path.lastIndexOf("/") + 1), etag, body, start, ++rev);
  return etag;
}

function report(path: string, asked: string): readonly Item[] {
  const hrefs = [...asked.matchAll(/<d:href>(.*?)<\/d:href>/g)];
  if (hrefs.length > 0) return hrefs.flatMap(([, href = ""]) => get.get(href) ?? []);
  const range = /start="(.*?)" end="(.*?)"/.exec(asked);
  if (range) return between.all(path, range[1] ?? "", range[2] ?? "");
  return since.all(path, Number(/<d:sync-token>(\d*)</.exec(asked)?.[1] ?? 0));
}

const row = ({ path, etag, body }: Item, isFull: boolean): string =>
  `<d:response><d:href>${path}</d:href><d:propstat><d:prop><d:getetag>${etag}</d:getetag>${
    isFull ? `<c:calendar-data>${body}</c:calendar-data>` : ""
  }</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;

db.transaction(() => {
  for (let nth = 0; nth < Number(large); nth++) store(`/large/${nameOf(nth)}`, largeText(nth));
})();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => answer(request, response, Buffer.concat(chunks).toString()));
});

function answer(
  { url = "", method }: IncomingMessage,
  response: ServerResponse,
  body: string,
): ServerResponse {
  if (method === "PUT") return response.writeHead(201, { ETag: store(url, body) }).end();
  if (method === "GET") return response.writeHead(200).end(get.get(url)?.body);
  const rows = method === "PROPFIND" ? all.all(url) : report(url, body);
  const inner = rows.map((item) => row(item, body.includes("calendar-data"))).join("");
  response.writeHead(207, { "Content-Type": "application/xml; charset=utf-8" });
  return response.end(
    `<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${inner}<d:sync-token>${rev}</d:sync-token></d:multistatus>`,
  );
}

server.listen(0, "127.0.0.1", () => console.log(JSON.stringify(server.address())));
