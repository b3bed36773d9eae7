/** Secrets that nobody told us of, known by their shape: keys of clouds, of forges, of chats, private keys. */
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';

const MARK = '[redacted]';
const CONFIG = {
  rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator, options: {} }],
};

/** The text without what looks like a secret. Slow: for what is kept or shown elsewhere, not for live output. */
export async function redactShapes(text: string): Promise<string> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, noPhysicFilePath: true },
  });
  let clean = '';
  let at = 0;
  for (const [from, to] of messages.map(({ range }) => range).toSorted(([a], [b]) => a - b)) {
    if (from >= at) clean += text.slice(at, from) + MARK;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}
