/**
 * Finds values of an environment that are secret by their names, so that they can be redacted wherever they appear.
 */

const SECRET_NAME = /key|token|secret|passw|passphrase|credential/i;
/** Shorter values are words such as `none`, and a longer value is not a key. */
const CHARS_MIN = 8;
const CHARS_MAX = 4000;
const VALUES_MAX = 50;

export function findSecretsIn(
  ...environments: readonly Readonly<Record<string, string | undefined>>[]
): readonly string[] {
  const values = environments
    .flatMap((env) => Object.entries(env))
    .flatMap(([name, value = '']) => (SECRET_NAME.test(name) ? [value.trim()] : []))
    // A path is only the location of a secret.
    .filter((value) => value.length >= CHARS_MIN && value.length <= CHARS_MAX && value[0] !== '/');
  return [...new Set(values)].slice(0, VALUES_MAX);
}
