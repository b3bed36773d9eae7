/**
 * Marks around text that somebody else wrote. Text can pretend to end where it does not; it can't
 * hold a mark that is chosen after it was read.
 */
export type PromptFence = {
  readonly mark: string;
  /** `name` in a pair of tags that `text` can't close; `attributes` are quoted. */
  readonly around: (
    name: string,
    text: string,
    attributes?: Readonly<Record<string, string>>,
  ) => string;
};

/** The same texts get the same mark. `seed` may stand for texts that are too long to be read here. */
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
      const written = Object.entries(attributes).map(([key, value]) => ` ${key}=${quoted(value)}`);
      return `<${name}-${mark}${written.join('')}>\n${text}\n</${name}-${mark}>\n`;
    },
  };
}

/** On one line, whatever a file is called. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
