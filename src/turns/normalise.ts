/**
 * Removes what differs between two texts that mean the same: temporary paths, times, durations and ids. What is left
 * is compared by hash.
 */

/** Of a longer text, only the beginning and the end count, and its length. */
const PART_CHARS_MAX = 16_000;

const REPLACEMENTS: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b20\d{6}[T_-]\d{4,6}Z?\b/g, '<time>'],
  [/\b\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, '<time>'],
  [/\b1\d{9}(?:\d{3}){0,3}\b/g, '<time>'],
  [/(?:\/private)?(?:\/var)?\/tmp\/[^\s/'"`:;,)\]]{1,200}/g, '<temp>'],
  [
    /(?:\/private)?\/var\/folders\/(?:[^\s/'"`:;,)\]]{1,100}\/){2,3}[^\s/'"`:;,)\]]{1,100}/g,
    '<temp>',
  ],
  // Codex, Gemini CLI and Copilot CLI number their shell processes in every output.
  [/\bchunk id: [\da-f]{1,16}\b/gi, '<id>'],
  [/\b(?:pgid|pid|shellid|process id|session id)(:| |=) ?\d{1,10}\b/gi, '<id>'],
  [/\b0x[\da-f]{4,64}\b/gi, '<id>'],
  [/\b(?=[\da-f]{0,63}\d)(?=[\da-f]{0,63}[a-f])[\da-f]{7,64}\b/gi, '<id>'],
  [/\b\d{1,9}(?:\.\d{1,9})? ?(?:ms|s|sec|seconds?|mins?|minutes?)\b/g, '<span>'],
  [/\s+/g, ' '],
];

export function normaliseText(text: string): string {
  return REPLACEMENTS.reduce(
    (result, [pattern, by]) => result.replaceAll(pattern, by),
    shorten(text),
  ).trim();
}

function shorten(text: string): string {
  if (text.length <= 2 * PART_CHARS_MAX) return text;
  return `${text.slice(0, PART_CHARS_MAX)} … ${text.length} … ${text.slice(-PART_CHARS_MAX)}`;
}
