/** Makes a value when it is first asked for, and gives the same one from then on. What `make` throws is thrown each time. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
