/** Makes a value on first use and returns the same one afterwards. If `make` throws, it is called again next time. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
