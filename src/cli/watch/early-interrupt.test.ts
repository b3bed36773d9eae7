/** Ctrl-C just after Enter: the run has an id by then or soon after, and nothing may work on unseen. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { InProcessCli } from '../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { Client } from '../../client/client.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import { homeAt } from '../../host/machine/state-home.ts';
import { StatusDocument } from '../../public-json/status-document.ts';
import type { CliContext, InterruptSignal } from '../cli-context.ts';
import { EarlyInterrupt } from './early-interrupt.ts';
import { showContinued } from './show-continued.ts';

const NEVER = 'scripted:never-speaks';
const FEATURE = `
id: P1T5
title: Pay by invoice
workflow: mvp
phases:
  - id: backend
    components: [{ id: model, title: The table, files: [db/] }]
`;

function runsOf({ dir }: InProcessCli): number {
  using database = new DatabaseSync(homeAt(dir, dir).journal, { readOnly: true });
  const [row] = database.prepare('SELECT count(*) AS count FROM runs').all();
  return Number(row?.['count']);
}

/** A keyboard on which a person presses Ctrl-C as soon as the command listens, and how many runs there are then. */
function hastyKeyboard(cli: InProcessCli): {
  readonly onInterrupt: CliContext['onInterrupt'];
  readonly runsThen: () => number | undefined;
} {
  let runs: number | undefined;
  return {
    onInterrupt: (listener) => {
      if (runs === undefined) {
        runs = runsOf(cli);
        setImmediate(() => listener('SIGINT'));
      }
      return () => {};
    },
    runsThen: () => runs,
  };
}

/** A keyboard. A signal that nothing listens for ends the command. */
const press = (): {
  listen: CliContext['onInterrupt'];
  now: (signal: InterruptSignal) => void;
} => {
  const listeners = new Set<(signal: InterruptSignal) => void>();
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    now: (signal) => {
      if (listeners.size === 0) throw new Error(`${signal} ends the command`);
      for (const listener of listeners) listener(signal);
    },
  };
};

describe('Ctrl-C just after Enter', { timeout: 300_000 }, () => {
  const cases: readonly (readonly [
    command: string,
    argv: (earlier: string) => readonly string[],
    out: RegExp,
    err: RegExp,
  ])[] = [
    ['run', () => ['run', 'x', '-a', NEVER], /^Run \w{10} /, /Stopping the run\./],
    [
      'run --detach',
      () => ['run', 'x', '-a', NEVER, '--detach'],
      /^\w{10}\n$/,
      /Stopping run \w{10}\. To continue it: supervisor resume \w{10}\n$/,
    ],
    [
      'run --detach --json',
      () => ['run', 'x', '-a', NEVER, '--detach', '--json'],
      /"run_id": ?"\w{10}"/,
      /Stopping run \w{10}\./,
    ],
    ['resume', (earlier) => ['resume', earlier], /^Run \w{10} /, /Stopping the run\./],
    ['resume --detach', (earlier) => ['resume', earlier, '--detach'], /^\w{10}\n$/, /Stopping run/],
  ];
  for (const [command, argv, out, err] of cases)
    test(`stops what ${command} has begun, and names it`, async () => {
      await using cli = await inProcessCli();
      const { say } = cli;
      const earlier = (await say(['run', 'old', '-a', NEVER, '--detach'])).out.trim();
      await say(['stop', earlier]);
      await say(['wait', earlier]);
      const keyboard = hastyKeyboard(cli);
      const ended = await say(argv(earlier), { onInterrupt: keyboard.onInterrupt });
      assert.equal(keyboard.runsThen(), 1, 'it listens before it submits');
      assert.match(ended.out, out);
      assert.match(ended.err, err);
      assert.match(
        ended.err,
        /^\nWaiting for the id of the run\. Press Ctrl-C again to leave now\.\n/m,
      );
      assert.equal(ended.code, 130);
      await say(['wait', 'last']);
      const { runs } = StatusDocument.parse(
        JSON.parse((await say(['status', '--all', '--json'])).out),
      );
      assert.deepEqual(
        runs.map(({ state }) => state),
        ['cancelled', 'cancelled'],
      );
    });

  const writeFeature = async ({ project }: InProcessCli): Promise<void> => {
    await writeFile(join(project, 'f.yaml'), FEATURE);
    const ada = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
    for (const words of [
      ['init', '--quiet'],
      ['add', '--all'],
      ['commit', '--quiet', '-m', 'x'],
    ])
      execFileSync('git', [...ada, ...words], { cwd: project });
  };

  test('leaves a feature that has begun, and names it', async () => {
    await using cli = await inProcessCli();
    await writeFeature(cli);
    const keyboard = hastyKeyboard(cli);
    const { onInterrupt } = keyboard;
    const argv = ['feature', 'start', 'f.yaml', '--yes', '-a', NEVER];
    const { code, out, err } = await cli.say(argv, { onInterrupt });
    assert.equal(keyboard.runsThen(), 0);
    const [, id] = /Run (\w{10})\n/.exec(out) ?? [];
    assert.match(err, new RegExp(`The feature continues\\. Show it with: .* ${id}\n$`));
    assert.equal(code, 130);
    await cli.say(['kill', '--all']);
  });

  test('leaves feature start --detach while the command still asks how far the feature is', async () => {
    await using cli = await inProcessCli();
    await writeFeature(cli);
    const keys = press();
    const { code, err } = await cli.say(
      ['feature', 'start', 'f.yaml', '--yes', '--detach', '-a', NEVER],
      {
        onInterrupt: keys.listen,
        // Its next request is under way by then, and has no answer yet.
        out: (text) => {
          if (/^Run \w{10}\n/.test(text)) queueMicrotask(() => keys.now('SIGINT'));
        },
      },
    );
    assert.match(err, /^The feature continues\. Show it with: .* \w{10}\n$/m);
    assert.equal(code, 130);
    await cli.say(['kill', '--all']);
  });
});

describe('a request that is sent while a person may press Ctrl-C', () => {
  test('is left at the second signal, if the owner does not answer', async () => {
    const keys = press();
    using early = new EarlyInterrupt({ onInterrupt: keys.listen, err: () => {} });
    const asked = early.during(() => new Promise(() => {}));
    keys.now('SIGINT');
    keys.now('SIGTERM');
    await assert.rejects(asked, {
      message:
        'Canceled. The owner has not answered, so the run may have begun. See: supervisor status',
      exitCode: 143,
    });
    assert.throws(() => keys.now('SIGINT'), 'nothing listens after the command has left');
  });

  test('that the owner refuses leaves later signals to others', async () => {
    const keys = press();
    using early = new EarlyInterrupt({ onInterrupt: keys.listen, err: () => {} });
    const refused = Promise.reject(new Error('no'));
    await assert.rejects(
      early.during(() => refused),
      /^Error: no$/,
    );
    assert.throws(() => keys.now('SIGINT'));
  });

  test('hands over how often it was interrupted', async () => {
    const keys = press();
    using early = new EarlyInterrupt({ onInterrupt: keys.listen, err: () => {} });
    const answer = await early.during(async () => {
      keys.now('SIGINT');
      return 'run';
    });
    keys.now('SIGINT');
    assert.deepEqual([answer, early.handOver()], ['run', 2]);
    assert.throws(() => keys.now('SIGINT'));
  });

  test('has its answer: a signal leaves at once what only informs', async () => {
    const keys = press();
    let said = '';
    using early = new EarlyInterrupt({
      onInterrupt: keys.listen,
      err: (text) => void (said += text),
    });
    assert.equal(await early.during(async () => 'run'), 'run');
    assert.equal(await early.unlessInterrupted(async () => 'a warning'), 'a warning');
    const warned = early.unlessInterrupted(() => new Promise(() => {}));
    keys.now('SIGINT');
    assert.equal(await warned, undefined);
    const begun = early.unlessInterrupted(() => assert.fail('it begins nothing more'));
    assert.equal(await begun, undefined);
    assert.deepEqual([said, early.handOver()], ['', 1], 'it no longer waits for the id');
  });

  test('is sent again after a refusal: only signals of the second time count', async () => {
    const keys = press();
    using early = new EarlyInterrupt({ onInterrupt: keys.listen, err: () => {} });
    const refused = early.during(async () => {
      keys.now('SIGINT');
      throw new Error('no');
    });
    await assert.rejects(refused, /^Error: no$/);
    await early.during(async () => 'run');
    assert.equal(await early.unlessInterrupted(async () => 'a warning'), 'a warning');
  });

  test('of a run that continues in the background is stopped without a listener', async () => {
    const keys = press();
    const sent = Promise.withResolvers<undefined>();
    using early = new EarlyInterrupt({ onInterrupt: keys.listen, err: () => {} });
    const view = await early.during(async () => {
      keys.now('SIGINT');
      return runViewFixture({ id: 'new' });
    });
    const client = {
      signal: () => {
        sent.resolve(undefined);
        return new Promise(() => {}); // an owner that hangs
      },
    } as unknown as Client;
    const context = { clock: new ManualClock(), out: () => {}, err: () => {} };
    const options = { detach: true, json: false, jsonStream: false, verbose: false, quiet: false };
    void showContinued(
      context as unknown as CliContext,
      { client } as OwnerConnection,
      { run: 'old', view },
      options,
      early,
    );
    await sent.promise;
    assert.throws(() => keys.now('SIGINT'), 'a second signal ends the command');
  });
});
