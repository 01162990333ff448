export { acceptsGzip, type Coding, codingFor } from "./accept-encoding.ts";
export { type Credentials, readBasic } from "./basic-credentials.ts";
export { httpDate, readHttpDate } from "./http-date.ts";
