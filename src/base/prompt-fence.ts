/**
 * Tags around text from another author. Text can imitate an end tag, but it cannot contain a mark
 * that is chosen after the text was read.
 */
export type PromptFence = {
  readonly mark: string;
  /** Wraps `text` in a pair of tags that it cannot close; `attributes` are quoted. */
  readonly around: (
    name: string,
    text: string,
    attributes?: Readonly<Record<string, string>>,
  ) => string;
};

/** The same texts get the same mark. Pass `seed` if the texts are too long to be hashed here. */
export function promptFence(
  texts: readonly string[],
  seed: string = texts.join('\0'),
): PromptFence {
  let hash = 0x811c9dc5;
  for (let at = 0; at < seed.length; at += 1)
    hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193) >>> 0;
  let mark = '';
  do {
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + 1;
    mark = (hash >>> 0).toString(16).padStart(8, '0');
  } while (texts.some((text) => text.includes(mark)));
  return {
    mark,
    around: (name, text, attributes = {}) => {
      const attributeText = Object.entries(attributes).map(
        ([key, value]) => ` ${key}=${quoted(value)}`,
      );
      return `<${name}-${mark}${attributeText.join('')}>\n${text}\n</${name}-${mark}>\n`;
    },
  };
}

/** On one line, even if a file name has line breaks. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
