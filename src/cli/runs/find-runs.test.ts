import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { NewEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { StatusDocument } from '../../public-json/status-document.ts';
import type { EarlierRun } from '../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

/** Runs of a program that this release does not have: they stay active and do nothing. */
function active(...ids: readonly string[]): readonly EarlierRun[] {
  return activeIn('/p', 'gone', ids);
}

function activeIn(project: string, program: string, ids: readonly string[]): readonly EarlierRun[] {
  const event: NewEvent = runEvent({
    type: 'run.submitted',
    payload: { program, task: 'do it', project, settings: {} },
  });
  return ids.map((id) => ({ stream: runStream(id), at: 1, event }));
}

function ended(project: string, id: string): readonly EarlierRun[] {
  const outcome = { kind: 'cancelled', reason: 'stopped by the user' };
  const end: NewEvent = runEvent({ type: 'run.ended', payload: { outcome } });
  return [...activeIn(project, 'attempts', [id]), { stream: runStream(id), at: 2, event: end }];
}

describe('a command about runs', { timeout: 300_000 }, () => {
  test('takes the beginning of an id, and refuses one that several runs have', async () => {
    await using cli = await inProcessCli('', active('aa00000001', 'ab00000002'));
    assert.match((await cli.say(['status', 'ab'])).out, /^run {8}ab00000002\n/);
    assert.deepEqual(await cli.say(['why', 'a']), {
      code: 2,
      out: '',
      err: 'error: Several runs begin with a: ab00000002 (do it), aa00000001 (do it).\nAdd more digits of the id.\n',
    });
  });

  test('means the last run if none is named', async () => {
    await using cli = await inProcessCli();
    const noRun = {
      code: 2,
      out: '',
      err: 'error: There is no last run: nothing has run yet.\nStart one with: supervisor run "…"\n',
    };
    assert.deepEqual(await cli.say(['diff', 'last']), noRun);
    for (const command of ['diff', 'why', 'logs', 'attach', 'apply'])
      assert.deepEqual(await cli.say([command]), noRun, command);
  });

  test('takes several, each once, and continues after one that is refused', async () => {
    await using cli = await inProcessCli('', active('aa00000001', 'ab00000002', 'ac00000003'));
    assert.deepEqual(await cli.say(['kill', 'aa', 'ffffffffff', 'ab', 'aa00000001']), {
      code: 2,
      out: 'aa00000001  killed\nab00000002  killed\n',
      err: 'error: ffffffffff: There is no run ffffffffff.\n',
    });
    const stop = ['stop', '--all', '--everywhere'];
    const { out } = await cli.say([...stop, '--json', '--idempotency-key', 'k']);
    assert.deepEqual(
      StatusDocument.parse(JSON.parse(out)).runs.map(({ run_id: id, state }) => `${id} ${state}`),
      ['ac00000003 cancelled'],
    );
    assert.deepEqual(await cli.say(stop), { code: 0, out: '', err: 'No active runs.\n' });
  });

  test('changes nothing in other projects with --all, unless it says --everywhere', async () => {
    await using project = await tempDir();
    const cwd = await realpath(project.path);
    const runs = [...active('aa00000001'), ...activeIn(cwd, 'gone', ['ab00000002'])];
    await using cli = await inProcessCli('', runs);
    const kill = (...words: readonly string[]) => cli.say(['kill', ...words], { cwd });
    assert.deepEqual(await kill('--all'), { code: 0, out: 'ab00000002  killed\n', err: '' });
    assert.deepEqual(await kill('--all'), {
      code: 0,
      out: '',
      err: `No active runs in ${cwd}. For all projects, add --everywhere.\n`,
    });
    assert.deepEqual(await kill('--all', '--everywhere'), {
      code: 0,
      out: 'aa00000001  killed\n',
      err: '',
    });
    assert.deepEqual(await kill('aa', '--everywhere'), {
      code: 2,
      out: '',
      err: 'error: --everywhere needs --all.\nUse both to mean all runs of all projects.\n',
    });
  });

  test('neither reads nor changes the last run of another project, and names it', async () => {
    await using cli = await inProcessCli('', ended('/p', 'aa00000001'));
    const here = await realpath(cli.project);
    for (const words of [
      ['status', 'last'],
      ...['diff', 'why', 'logs', 'attach', 'apply'].map((one) => [one]),
      ...['stop', 'kill', 'pause', 'unpause', 'retry-now', 'next', 'discard', 'apply'].map(
        (one) => [one, 'last'],
      ),
      ['resume', 'last'],
      ['answer', 'last', 'stop'],
    ])
      assert.deepEqual(
        await cli.say(words),
        {
          code: 2,
          out: '',
          err: `error: No run belongs to ${here}. The last run is aa00000001 (do it) of /p.\nTo use that one, name it by its id: aa00000001\n`,
        },
        words.join(' '),
      );
  });

  test('refuses no name at all, and a name beside --all', async () => {
    await using cli = await inProcessCli();
    for (const command of ['stop', 'kill', 'pause', 'unpause', 'retry-now', 'next', 'discard'])
      for (const [words, message] of [
        [[], 'No run is named.'],
        [['last', '--all'], 'Name runs or use --all, but not both.'],
      ] as const) {
        const { code, out, err } = await cli.say([command, ...words]);
        assert.deepEqual([code, out, err.split('\n')[0]], [2, '', `error: ${message}`], command);
      }
  });

  test('has other words for some commands', async () => {
    await using cli = await inProcessCli('', active('aa00000001'));
    const listed = await cli.say(['status', '--json']);
    assert.match(listed.out, /aa00000001/);
    assert.deepEqual(await cli.say(['ps', '--json']), listed);
    assert.deepEqual(await cli.say(['ls', '--json']), listed);
    assert.deepEqual(await cli.say(['rm', 'aa']), await cli.say(['discard', 'aa']));
    assert.deepEqual(await cli.say(['version']), { code: 0, out: '1.2.3\n', err: '' });
    assert.equal(
      (await cli.say(['version', '--json'])).out,
      '{"schema":"supervisor.version/1","version":"1.2.3"}\n',
    );
  });
});
