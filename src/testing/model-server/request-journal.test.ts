import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { at } from '../../base/clock.ts';
import type { RecordedExchange } from './request-journal.ts';
import { RequestJournal, withoutKey, withoutSecrets } from './request-journal.ts';

function exchange(number: number, bytes = 10): RecordedExchange {
  return {
    number,
    at: at(0),
    method: 'POST',
    path: '/v1/messages',
    wire: 'anthropic',
    kind: 'main',
    conversation: 'c',
    model: 'm',
    stream: false,
    toolResults: 0,
    headers: {},
    body: {},
    bytes,
    answered: { kind: 'step', step: 0 },
    status: 200,
    tolerated: [],
    end: 'open',
  };
}

function numbers(journal: RequestJournal): readonly number[] {
  return journal.all().map(({ number }) => number);
}

describe('the journal of requests', () => {
  test('drops the oldest when there are too many', () => {
    const journal = new RequestJournal({ countMax: 2, bytesMax: 1000 });
    for (const number of [1, 2, 3]) journal.add(exchange(number));
    assert.deepEqual([numbers(journal), journal.dropped], [[2, 3], 1]);
  });

  test('drops the oldest when they are too large, but never the newest', () => {
    const journal = new RequestJournal({ countMax: 10, bytesMax: 25 });
    for (const number of [1, 2, 3]) journal.add(exchange(number));
    assert.deepEqual(numbers(journal), [2, 3]);
    journal.add(exchange(4, 100));
    assert.deepEqual([numbers(journal), journal.dropped], [[4], 3]);
  });

  test('records how each ended, once', () => {
    const journal = new RequestJournal({ countMax: 2, bytesMax: 1000 });
    journal.add(exchange(1));
    journal.end(1, 'cut');
    journal.end(1, 'sent');
    journal.end(7, 'sent');
    assert.deepEqual(journal.all(), [{ ...exchange(1), end: 'cut' }]);
  });

  test('returns a past request at once, and waits for a future one', async () => {
    const journal = new RequestJournal({ countMax: 9, bytesMax: 1000 });
    journal.add(exchange(1));
    const { signal } = new AbortController();
    assert.equal((await journal.wait(({ number }) => number === 1, signal)).number, 1);
    const second = journal.wait(({ number }) => number === 2, signal);
    const ended = journal.wait(({ end }) => end === 'sent', signal);
    journal.add(exchange(2));
    journal.end(2, 'sent');
    assert.deepEqual([(await second).number, (await ended).number], [2, 2]);
  });

  test('stops waiting when it is cancelled', async () => {
    const journal = new RequestJournal({ countMax: 9, bytesMax: 1000 });
    const control = new AbortController();
    const never = journal.wait(() => false, control.signal);
    control.abort(new Error('enough'));
    await assert.rejects(never, /enough/);
    await assert.rejects(
      journal.wait(() => false, control.signal),
      /enough/,
    );
  });
});

test('keys and cookies never reach the journal', () => {
  const headers = { authorization: 'Bearer x', 'x-api-key': 'x', cookie: 'x', accept: '*/*' };
  assert.deepEqual(withoutSecrets(headers), {
    authorization: '[redacted]',
    'x-api-key': '[redacted]',
    cookie: '[redacted]',
    accept: '*/*',
  });
  assert.equal(withoutKey('/m:count?alt=sse&key=abc&x=1'), '/m:count?alt=sse&key=[redacted]&x=1');
});
