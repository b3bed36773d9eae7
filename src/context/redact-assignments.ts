/** Redacts secrets in texts: values after a revealing name, and values of a known form. */

const REDACTED = '[REDACTED]';

const REVEALING =
  'api[_-]?key|secret|passw(?:or)?d|passphrase|token|credential|private[_-]?key|access[_-]?key';
const NAME = String.raw`[\w.-]*(?:${REVEALING})[\w.-]*`;
/** A cheap test first, because most files contain no such name. */
const IS_REVEALING = new RegExp(REVEALING, 'i');

/** A quoted text of some length after such a name. A word in prose or a type does not match. */
const QUOTED = new RegExp(
  String.raw`(\b${NAME}["']?\]?\s*(?::\s*(?:\w+\s*)?=|:=|=>|[:=])\s*)(["'\x60])(?!\$\{|\{\{|<|%)((?:(?!\2)[^\\\n\s]|\\.){6,})\2`,
  'gi',
);
/** In a settings file, values are not quoted. */
const UNQUOTED = new RegExp(
  String.raw`^(\s*(?:-\s+)?(?:export\s+)?["']?${NAME}["']?\s*[:=]\s*)(?!["'\x60$<{[|>%&*!])([^\s#"']{6,})`,
  'gim',
);
const SETTINGS = /(?:^|[/.])(?:env|ini|cfg|conf|properties|toml|ya?ml|netrc)(?:\.\w+)?$/i;

const SHAPES =
  /\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{22,}|\bsk-[A-Za-z0-9_-]{20,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{35}|\bxox[abprs]-[\w-]{10,}|\bglpat-[\w-]{20,}/g;
const PRIVATE_KEY = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^-]*(?:-----END \1-----)?/g;

/** `path` shows whether the text is code or a settings file. Other text is not changed. */
export function redactAssignments(text: string, path: string): string {
  const plain = text.replaceAll(PRIVATE_KEY, REDACTED).replaceAll(SHAPES, REDACTED);
  if (!IS_REVEALING.test(plain)) return plain;
  const unquoted = SETTINGS.test(path) ? plain.replaceAll(UNQUOTED, `$1${REDACTED}`) : plain;
  return unquoted.replaceAll(
    QUOTED,
    (_, before: string, quote: string) => `${before}${quote}${REDACTED}${quote}`,
  );
}
