/** Decides whether a variable of an environment is a secret, by its name or because its value looks like one. */

const WORDS = /token|secret|passw|passphrase|credential|cookie|private/i;
const PARTS = /(?:^|_)(?:[a-z]*key|auth|pat|pwd|dsn)(?:_|$)/i;
const VALUES =
  /^(?:sk-|gsk_|gh[oprsu]_|github_pat_|glpat-|xox[abopr]-|npm_|hf_|AKIA|AIza|eyJ[\w-]+\.eyJ)|:\/\/[^\s/]+:[^\s/]+@|PRIVATE KEY/;

export function isSecretVariable(name: string, value: string): boolean {
  return value !== '' && (WORDS.test(name) || PARTS.test(name) || VALUES.test(value));
}
