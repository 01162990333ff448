export * from "./backend.ts";
export type { CaldavServerOptions, ObjectReading } from "./dav-request.ts";
export { createMemoryBackend, type MemoryPerson } from "./memory-backend.ts";
export { type PushNews, pushMessage } from "./push/push-methods.ts";
export { createCaldavServer } from "./router.ts";
