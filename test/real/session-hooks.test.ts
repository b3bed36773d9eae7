/**
 * A hook in a person's own session: the real CLI reads it from its settings, the session reports, and a message of a watch
 * is in the next request to the model, once. Removing the hook restores the settings.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hookTarget } from '../../src/hooks/hook-target.ts';
import type { HookScope } from '../../src/hooks/hook-target.ts';
import { SteeringBox } from '../../src/host/files/steering-box.ts';
import { readWatchedMessage } from '../../src/protocol/contracts/watched-message.ts';
import { SaluteReport } from '../../src/protocol/contracts/salute-contract.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName, Place } from './clis.ts';
import { makePlace, runCli } from './run-cli.ts';
import { CLIS, isMissing, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const TEXT = 'There was no progress for 13 turns. Leave this step, and try the smaller one.';
const STEPS = 3;
const PROGRAM = fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url));
/** The recipe of gemini writes its user settings, so the hook is in those of the project. */
const IN_PROJECT: ReadonlySet<CliName> = new Set(['gemini']);
const SETTINGS = '{\n  "hooks": {}\n}\n';

class Session {
  readonly cli: CliName;
  readonly place: Place;
  readonly folder: string;

  constructor(cli: CliName, place: Place) {
    this.cli = cli;
    this.place = place;
    this.folder = join(place.home, 'team');
  }

  /** The settings file of the hook. */
  get file(): string {
    const { home, cwd } = this.place;
    const scope: HookScope = IN_PROJECT.has(this.cli)
      ? { kind: 'project', project: cwd }
      : { kind: 'user', home, env: {} };
    return hookTarget(this.cli, scope, '').file;
  }

  async prepare(): Promise<void> {
    await mkdir(join(this.folder, 'roles'), { recursive: true });
    await writeFile(join(this.folder, 'active.json'), '{"org_id": "team"}');
    await writeFile(join(this.folder, 'roles', 'coder.json'), '{"role_id": "coder"}');
    await mkdir(dirname(this.file), { recursive: true });
    if (this.file.endsWith('settings.json') || this.file.endsWith('/hooks.json'))
      await writeFile(this.file, SETTINGS);
    await new SteeringBox(this.folder, 'coder').add((seq) =>
      JSON.stringify({
        ...{ _schema: 'supervisor:steering', seq, role_id: 'coder', detector: 'stall', text: TEXT },
        ...{ written_at: new Date().toISOString(), about: { timestamp: '', turn: 13 } },
      }),
    );
  }

  hook(verb: 'install' | 'remove'): string {
    const scope = IN_PROJECT.has(this.cli) ? ['--project'] : [];
    const terms = verb === 'install' ? ['--folder', this.folder, '--role', 'coder'] : [];
    return execFileSync(
      process.execPath,
      [PROGRAM, 'hook', verb, this.cli, ...scope, ...terms, '--yes', '--json'],
      {
        cwd: this.place.cwd,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: this.place.home },
      },
    );
  }
}

describe("a hook in a person's own session", () => {
  for (const cli of CLIS)
    test(
      `of ${cli} reports, and gives the model a message once`,
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        await using server = await ModelServer.start({
          script: ({ toolResults, kind }) => {
            if (kind === 'side') return undefined;
            if (toolResults >= STEPS) return { text: 'All done.' };
            return {
              text: `Step ${toolResults}.`,
              calls: [shellCall(cli, `echo step ${toolResults}`)],
            };
          },
        });
        await using place = await makePlace();
        const session = new Session(cli, place);
        await session.prepare();
        const before = await readFile(session.file, 'utf8').catch(() => null);
        assert.equal(JSON.parse(session.hook('install')).state, 'installed');
        assert.equal(JSON.parse(session.hook('install')).state, 'already_installed');

        const more = cli === 'codex' ? ['--dangerously-bypass-hook-trust'] : [];
        const ran = await runCli(cli, 'do three steps', place, server.url, undefined, { more });
        assert.equal(ran.code, 0, ran.stderr);
        const main = server.journal().filter(({ kind }) => kind === 'main');
        const times = main.map(({ body }) => JSON.stringify(body).split(TEXT).length - 1);
        assert.deepEqual(
          times,
          [0, 1, 1, 1],
          `${cli}: the message is in the next request and stays`,
        );

        const path = join(session.folder, 'reports', 'coder_latest.json');
        const report = SaluteReport.parse(JSON.parse(await readFile(path, 'utf8')));
        assert.deepEqual(
          [report.unit.role_id, report.status.state, report.unit.organization],
          ['coder', 'active', 'team'],
        );
        const left = await new SteeringBox(session.folder, 'coder').texts();
        assert.equal(readWatchedMessage(left.get(1) ?? '')?.seq, 1);

        assert.equal(JSON.parse(session.hook('remove')).state, 'removed');
        assert.equal(await readFile(session.file, 'utf8').catch(() => null), before);
        assert.equal(JSON.parse(session.hook('remove')).state, 'not_installed');
      },
    );
});
