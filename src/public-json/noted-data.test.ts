import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notes } from '../../test/support/run-history-fixture.ts';
import { at } from '../base/clock.ts';
import type { NewRunEvent, StoredEvent } from '../protocol/event.ts';
import { runStream } from '../protocol/streams.ts';
import { eventDocument } from './event-data.ts';

const stored = (event: NewRunEvent): StoredEvent => ({
  ...event,
  ...{ id: 1, stream: runStream('0123456789'), seq: 1, v: 1, at: at(0) },
});

test('the document of an anomaly says what was found, where, and what became of it', () => {
  const events = [
    notes('attempt-1', {
      ...{ kind: 'anomaly', detector: 'loop', conversation: 'c', turn: 6, model: 'some-model' },
      ...{ decision: 'sent', message: 'aaaaaaaa', words: 'The same call failed 3 times.' },
    }),
    notes('attempt-1', { kind: 'detector-defect', detector: 'stall', message: 'TypeError: x' }),
  ];
  const about = events.map((event) => {
    const { data } = eventDocument(stored(event), '') as { readonly data: object };
    const {
      note,
      detector,
      decision,
      turn,
      model,
      message_id: message,
      detail,
    } = data as Record<string, unknown>;
    return [note, detector, decision, turn, model, message, detail];
  });
  assert.deepEqual(about, [
    ['anomaly', 'loop', 'sent', 6, 'some-model', 'aaaaaaaa', 'The same call failed 3 times.'],
    ['detector-defect', 'stall', null, null, null, null, 'TypeError: x'],
  ]);
});
