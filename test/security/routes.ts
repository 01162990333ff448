/** The internals of an express route or router that are used here. */
interface Layer {
  readonly route?:
    | { readonly path: string | readonly string[]; readonly methods?: object }
    | undefined;
  readonly handle?: unknown;
}

/** Each method and path that an application answers, as it runs; "*" is any method. */
export function routesOf(
  stack: readonly Layer[],
): readonly (readonly [method: string, path: string])[] {
  return stack.flatMap(({ route, handle }) => {
    const { stack: within = [] }: { readonly stack?: readonly Layer[] } = Object(handle);
    if (!route) return routesOf(within);
    const paths = typeof route.path === "string" ? [route.path] : route.path;
    const methods = Object.keys(route.methods ?? {}).map((method) =>
      method === "_all" ? "*" : method.toUpperCase(),
    );
    return paths.flatMap((path) => methods.map((method) => [method, path] as const));
  });
}
