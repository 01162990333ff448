/** Texts in memory up to a budget; the oldest go first. */
export interface OctetCache {
  readonly get: (id: number, etag: string) => Buffer | null;
  readonly put: (id: number, text: { readonly etag: string; readonly octets: Buffer }) => void;
  readonly drop: (id: number) => void;
}

/** `budget`: in octets. */
export function createOctetCache(budget: number): OctetCache {
  const kept = new Map<number, { readonly etag: string; readonly octets: Buffer }>();
  let size = 0;

  function drop(id: number): void {
    size -= kept.get(id)?.octets.byteLength ?? 0;
    kept.delete(id);
  }

  return {
    get(id, etag) {
      const found = kept.get(id);
      return found?.etag === etag ? found.octets : null;
    },
    put(id, text) {
      drop(id);
      kept.set(id, text);
      size += text.octets.byteLength;
      for (const oldest of kept.keys()) {
        if (size <= budget) break;
        drop(oldest);
      }
    },
    drop,
  };
}
