import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MessagesDocument } from '../../../public-json/message-documents.ts';
import { runStream } from '../../../protocol/streams.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { runEvent } from '../../../../test/support/run-event.ts';

const WAITING = [
  ...['run', 'wait', '--agent', 'scripted:never-speaks', '--detach'],
  ...['--set', 'attempt.grace=100ms'],
] as const;

describe('messages to the agent of a run', { timeout: 300_000 }, () => {
  test('are queued, shown with their states, and parked when the run ends', async () => {
    await using cli = await inProcessCli();
    const { out } = await cli.say([...WAITING]);
    const run = out.trim();
    const sent = await cli.say(['queue', run, 'then', 'update', 'the', 'README', '--json']);
    assert.equal(sent.code, 0, sent.err);
    const [message] = MessagesDocument.parse(JSON.parse(sent.out)).messages;
    assert.deepEqual(
      [message?.state, message?.verb, message?.origin, message?.text],
      ['queued', 'queue', 'person', 'then update the README'],
    );
    const listed = await cli.say(['messages', run]);
    assert.match(
      listed.out,
      /^[0-9a-f]{8} {2}\S+ {2}queue {2}queued\n {2}then update the README\n$/,
    );
    assert.match((await cli.say(['status', run])).out, /^messages {3}1 message, 1 waiting$/m);
    await cli.say(['kill', run]);
    const parked = /parked: the run ended before it was delivered/;
    assert.match((await cli.say(['messages', run])).out, parked);
    assert.match((await cli.say(['why', run])).out, /a person queues a message .*parked: the run/s);
  });

  test('stop a turn, and the next attempt reads them in its prompt', async () => {
    await using cli = await inProcessCli();
    const { out } = await cli.say([...WAITING]);
    const run = out.trim();
    const isRunning = async (): Promise<boolean> =>
      / started {2}|runs as pid/.test((await cli.say(['events', '--run', run])).out);
    while (!(await isRunning()));
    await cli.say(['interrupt', run, 'use tabs']);
    const list = async (): Promise<string> => (await cli.say(['messages', run])).out;
    while (!(await list()).includes('sent with the prompt of attempt 2'));
    assert.match((await cli.say(['why', run])).out, /attempt 2 .*interrupted by a message/);
    await cli.say(['kill', run]);
  });

  const outcome = { kind: 'cancelled', reason: 'stopped by the user' };
  const submitted = { task: 'x', project: '/p', settings: {} };
  const refused: [
    why: string,
    program: string,
    ended: boolean,
    words: readonly string[],
    err: RegExp,
  ][] = [
    [
      'a run that has ended',
      'attempts',
      true,
      ['steer', 'hi there'],
      /supervisor resume aa00000001 --message 'hi there'/,
    ],
    [
      'a run without an agent of its own',
      'gone',
      false,
      ['steer', 'hi'],
      /has no agent of its own: its steps are runs/,
    ],
    ['an empty text', 'attempts', false, ['queue', ' \u0007 '], /The message is empty/],
  ];
  for (const [why, program, ended, [verb = '', text = ''], err] of refused)
    test(`are refused for ${why}, with what to do`, async () => {
      const at = (event: object, when: number) => ({
        stream: runStream('aa00000001'),
        at: when,
        event: event as ReturnType<typeof runEvent>,
      });
      const facts = [
        at(runEvent({ type: 'run.submitted', payload: { program, ...submitted } }), 1),
        ...(ended ? [at(runEvent({ type: 'run.ended', payload: { outcome } }), 2)] : []),
      ];
      await using cli = await inProcessCli('', facts);
      const answer = await cli.say([verb, 'aa00000001', text]);
      assert.match(answer.err, err);
      assert.ok(answer.code > 0);
    });
});
