/** The first version in a text: `2.39.5` in `git version 2.39.5 (Apple Git-154)`. */
export function findVersion(text: string): string | undefined {
  const [, version] = /(?:^|[^\w.])v?(\d{1,9}(?:\.\d{1,9}){1,3})(?![\d])/.exec(text) ?? [];
  return version;
}

/** Whether `version` is `least` or newer. Missing parts count as zero. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((text) => text.split('.').map(Number)) as [
    number[],
    number[],
  ];
  for (let part = 0; part < Math.max(have.length, want.length); part += 1) {
    const difference = (have[part] ?? 0) - (want[part] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
