import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announceWord, cleanText, markMessage, messageMark, messageWord } from './message-text.ts';

const RUN = '0123456789';
const message = { id: 'aaaaaaaa', origin: 'person', text: 'use {{ tabs }}', at: 1000 } as const;

test('a message begins with the word of its run, and says what wrote it and how old it is', () => {
  const word = messageWord(RUN);
  assert.match(word, /^[0-9a-f]{8}$/);
  assert.equal(
    markMessage(RUN, message, 13_000),
    `[SUPERVISOR] ${word} message aaaaaaaa from a person, 12s ago: use {{ tabs }}`,
  );
});

test('two runs have different words, which the first prompt names', () => {
  assert.notEqual(messageWord(RUN), messageWord('0123456780'));
  assert.ok(announceWord(RUN).includes(`[SUPERVISOR] ${messageWord(RUN)}.`));
});

test('the mark is the same in JSON, and the announcement does not contain it', () => {
  const mark = messageMark(RUN, 'aaaaaaaa');
  assert.equal(JSON.stringify(mark), `"${mark}"`);
  assert.equal(announceWord(RUN).includes(mark), false);
});

const texts: [given: string, clean: string][] = [
  ['plain', 'plain'],
  ['  a\r\nb\rc\td  ', 'a\nb\nc\td'],
  ['red \u001B[31mtext\u0007\u0000', 'red [31mtext'],
  ['left\u202Eright\uFEFF', 'leftright'],
  ['a lone \uD800 surrogate', 'a lone  surrogate'],
  ['👩‍💻 ü', '👩‍💻 ü'],
  ['\n \t', ''],
];
for (const [given, clean] of texts)
  test(`a text is stored without control characters: ${JSON.stringify(given)}`, () =>
    assert.equal(cleanText(given), clean));
