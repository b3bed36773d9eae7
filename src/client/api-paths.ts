/** The paths and queries of the owner's API. */
export function runPath(id: string, part?: string): string {
  return `/v1/runs/${encodeURIComponent(id)}${part === undefined ? '' : `/${part}`}`;
}

export function query(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(values).filter((entry) => entry[1] !== undefined);
  const parameters = new URLSearchParams(
    given.map(([key, value]): [string, string] => [key, String(value)]),
  );
  return given.length === 0 ? '' : `?${parameters.toString()}`;
}
