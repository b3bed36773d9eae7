/** The rules of our prose: words that have a plainer one, and the length of a sentence. */

export type Problem = {
  /** Where it is in the text that was checked. */
  readonly offset: number;
  readonly found: string;
  readonly advice: string;
};

export const SENTENCE_WORDS_MAX = 35;

type Rule = readonly [pattern: RegExp, advice: string];

/** A space stands for any white space, since a comment has line breaks. */
const RULES: readonly Rule[] = (
  [
    [/\b(?:some|no|any)body\b/gi, 'name the part, or say "a person" or "no one"'],
    [/\bwhom?ever\b|\bwhoever\b|\bwhom\b/gi, 'name the subject, or begin with "if"'],
    [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
    [/\banew\b|\bafresh\b/gi, 'again, or from the start'],
    [/\b(?:there|where|here)(?:of|in)\b(?! lies)/gi, 'of it, in it'],
    [
      /\b(?:go|goes|going|went|gone) on\b(?! (?:a|an|the|your|its|port)\b)/gi,
      'continue, or is running',
    ],
    [/\b(?:take|takes|taken|taking|took) up\b(?! to\b)/gi, 'resume; of space: use'],
    [/\bwalls\b/gi, 'sandbox'],
    [/\bliv(?:e|es|ed|ing) long\b/gi, 'long-lived'],
    [/\blost with (?:its|their|the|an) owners?\b/gi, 'interrupted: the owner process died'],
    [/\bluck\b/gi, 'random'],
    [/\blet(?:s|ting)? go\b/gi, 'dismiss, or release'],
    [/\bof (?:ours|yours)\b/gi, 'our, your'],
    [/\brests\b/gi, 'is cooling down'],
  ] as readonly Rule[]
).map(([pattern, advice]) => [
  new RegExp(pattern.source.replaceAll(' ', String.raw`\s+`), pattern.flags),
  advice,
]);

/** A full stop ends a sentence if a space and a beginning follow it. */
const SENTENCE_END =
  /(?<!\b(?:e\.g|i\.e|etc|vs|cf|no))[.!?]["')\]*_]*(?=\s+["'`(*_[]*[\p{Lu}\d`]|\s*$)/gu;

/** Keeps the length, so that offsets stay right. */
const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');

/**
 * Text inside backticks or quotation marks is an id, output or a quotation, and an address is no
 * sentence. Each counts as one word.
 */
function withoutQuotations(text: string): string {
  const asWord = (match: string): string => `X${blank(match.slice(1))}`;
  return text
    .replaceAll(/(`+)(?!`).+?(?<!`)\1(?!`)/gs, asWord)
    .replaceAll(/\bhttps?:\/\/[^\s)>\]]+/g, asWord)
    .replaceAll(/\]\([^)\s]*\)/g, (match) => `]${blank(match.slice(1))}`)
    .replaceAll(/"[^"]{1,300}"|“[^”]{1,300}”/g, asWord);
}

const countWords = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;

function* sentences(text: string): Generator<{ readonly offset: number; readonly text: string }> {
  let from = 0;
  for (const { index, 0: end } of text.matchAll(SENTENCE_END)) {
    yield { offset: from, text: text.slice(from, index + end.length) };
    from = index + end.length;
  }
  yield { offset: from, text: text.slice(from) };
}

/** Problems of one paragraph. A cell of a table is not held to the length of a sentence. */
export function checkParagraph(paragraph: string, isCell = false): readonly Problem[] {
  const text = withoutQuotations(paragraph);
  const words = RULES.flatMap(([pattern, advice]) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      offset: index,
      found: `"${found.replaceAll(/\s+/g, ' ')}"`,
      advice: `use: ${advice}`,
    })),
  );
  if (isCell) return words;
  const long = [...sentences(text)].flatMap((sentence) => {
    const count = countWords(sentence.text);
    if (count <= SENTENCE_WORDS_MAX) return [];
    const offset = sentence.offset + (sentence.text.length - sentence.text.trimStart().length);
    const start = paragraph.slice(offset).trimStart().split(/\s+/).slice(0, 5).join(' ');
    const found = `${count} words in one sentence ("${start} …")`;
    return [{ offset, found, advice: `use: ${SENTENCE_WORDS_MAX} at most; split it` }];
  });
  return [...words, ...long];
}
