/** The values of an environment that are secret by their names, so that they are known wherever they turn up. */

const TELLING = /key|token|secret|passw|passphrase|credential/i;
/** Shorter ones are words such as `none`, and a longer one is no key. */
const CHARS_MIN = 8;
const CHARS_MAX = 4000;
const VALUES_MAX = 50;

export function findSecretsIn(
  ...environments: readonly Readonly<Record<string, string | undefined>>[]
): readonly string[] {
  const values = environments
    .flatMap((env) => Object.entries(env))
    .flatMap(([name, value = '']) => (TELLING.test(name) ? [value.trim()] : []))
    // What is a path says where a secret lies.
    .filter((value) => value.length >= CHARS_MIN && value.length <= CHARS_MAX && value[0] !== '/');
  return [...new Set(values)].slice(0, VALUES_MAX);
}
