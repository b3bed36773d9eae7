import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { preparedAttempt } from '../../test/support/prepared-attempt.ts';
import { AttemptRecorder } from './attempt-recorder.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const RESULT = '{"type":"result","summary":"it works"}';

describe('a recorder of an attempt', () => {
  test('reads a line that arrives in pieces, and a last line without a line break', async () => {
    const { attempt } = await preparedAttempt();
    const recorder = new AttemptRecorder(attempt, null);
    recorder.read('stdout', encode('{"type":"text",'));
    recorder.read('stdout', encode(`"text":"hello"}\n${RESULT}`));
    const { transcript } = recorder.end();
    assert.deepEqual([transcript.lastWords, transcript.concluded], ['hello', 'it works']);
  });

  test('has the last lines that are neither events nor stack frames', async () => {
    const { attempt } = await preparedAttempt();
    const recorder = new AttemptRecorder(attempt, null);
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    recorder.read('stderr', encode(`${lines.join('\n')}\n    at run (file.js:1:2)\n`));
    recorder.read('stdout', encode(`${RESULT}\nplain text\n`));
    assert.deepEqual(recorder.end().tail, { stdout: ['plain text'], stderr: lines.slice(-50) });
  });

  test('notes the chosen conversation once, at the first event', async () => {
    const { attempt, notes } = await preparedAttempt();
    const recorder = new AttemptRecorder(attempt, 'chosen');
    recorder.read('stdout', encode('no event\n'));
    assert.deepEqual(notes, []);
    recorder.read('stdout', encode(`{"type":"text","text":"hello"}\n${RESULT}\n`));
    assert.equal(recorder.end().transcript.session, 'chosen');
    assert.deepEqual(notes, [{ kind: 'session', session: 'chosen' }]);
  });

  test('reads the answer and the notes only if the attempt reads them', async () => {
    const text = (words: string): string => `${JSON.stringify({ type: 'text', text: words })}\n`;
    const output = encode(
      `${text('NOTE: port 80')}{"type":"tool","name":"Bash"}\n${text('All done.')}`,
    );
    const read = async (readsNotes: boolean) => {
      const { attempt } = await preparedAttempt({ readsNotes });
      const recorder = new AttemptRecorder(attempt, null);
      recorder.read('stdout', output);
      const { answer, notes } = recorder.end();
      return { answer, notes };
    };
    assert.deepEqual(await read(true), { answer: 'All done.', notes: ['port 80'] });
    assert.deepEqual(await read(false), { answer: '', notes: [] });
  });
});
