export * from "./backend.ts";
export type { CaldavServerOptions, ObjectReading } from "./dav-request.ts";
export { createMemoryBackend, type MemoryPerson } from "./memory-backend.ts";
export { createCaldavServer } from "./router.ts";
