import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../test/support/cli-harness.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { isRefusal } from '../base/errors.ts';
import { which } from '../host/process/which.ts';
import { OwnerServiceDocument } from '../public-json/machine-documents.ts';
import type { OwnerService } from './service-file.ts';
import { renderService, serviceEnvironment } from './service-file.ts';

/** Characters that mean something in a unit, in XML or in a shell. */
const ODD = String.raw`a b%h$HOME"q'\n<&>;#é`;
const SERVICE: OwnerService = {
  command: [
    `/opt/${ODD}/node`,
    '--flag=2',
    `/lib/${ODD}/supervisor.js`,
    'owner',
    'serve',
    '--stay',
  ],
  environment: { SUPERVISOR_HOME: `/home/${ODD}`, PATH: '/usr/bin:/bin' },
  home: `/home/${ODD}`,
};

/** The words of a line of a unit: quotes and backslashes, then specifiers. */
function unitWords(line: string): readonly string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];
  return words.map((word) =>
    word
      .replace(/^"(.*)"$/, '$1')
      .replaceAll(/\\(.)/g, '$1')
      .replaceAll('%%', '%'),
  );
}

function valuesOf(text: string, key: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith(`${key}=`) ? line.slice(key.length + 1) : []));
}

describe('the file of a service manager', () => {
  test('is a unit of systemd that starts exactly this command in this environment', () => {
    const { text } = renderService('systemd', SERVICE);
    const [exec = ''] = valuesOf(text, 'ExecStart');
    const words = unitWords(exec).map((one) => one.replaceAll('$$', '$'));
    const viaShell = ['/bin/sh', '-c', 'exec "$0" "$@"'];
    assert.deepEqual(words, [...viaShell, ...SERVICE.command]);
    assert.deepEqual(
      valuesOf(text, 'Environment').flatMap(unitWords),
      Object.entries(SERVICE.environment).map(([name, value]) => `${name}=${value}`),
    );
    assert.deepEqual(valuesOf(text, 'EnvironmentFile'), [
      `-${SERVICE.home.replaceAll('%', '%%')}/owner.env`,
    ]);
    assert.deepEqual(
      ['Restart', 'KillMode', 'OOMPolicy', 'WantedBy'].flatMap((key) => valuesOf(text, key)),
      ['always', 'mixed', 'continue', 'default.target'],
    );
  });

  test('starts a program without quotation marks in its path directly', () => {
    const command = ['/opt/a b%h$HOME/node', 'a$b%c'] as const;
    const { text } = renderService('systemd', { ...SERVICE, command });
    // Systemd expands variables in the arguments, and takes the program as it is.
    assert.deepEqual(valuesOf(text, 'ExecStart'), ['"/opt/a b%%h$HOME/node" a$$b%%c']);
  });

  test('is accepted by systemd, with a program in a folder with an odd name', async (t) => {
    const analyze = which('systemd-analyze', process.env);
    if (analyze === undefined) return t.skip('missing: systemd-analyze');
    await using dir = await tempDir();
    const file = join(dir.path, 'agent-supervisor.service');
    for (const name of ['plain', 'a b%h$HOMEé', String.raw`q"u'o\te`]) {
      const odd = join(dir.path, name);
      mkdirSync(odd);
      symlinkSync(process.execPath, join(odd, 'node'));
      const environment = { SUPERVISOR_HOME: odd, PATH: '/usr/bin' };
      const command = [join(odd, 'node'), ODD] as const;
      writeFileSync(file, renderService('systemd', { command, environment, home: odd }).text);
      const checked: SpawnSyncReturns<string> = spawnSync(
        analyze,
        ['verify', '--user', '--man=no', file],
        {
          encoding: 'utf8',
          env: { ...process.env, XDG_RUNTIME_DIR: dir.path },
        },
      );
      // It may also warn of other units of this machine.
      assert.doesNotMatch(checked.stderr, /agent-supervisor/, name);
      assert.equal(checked.status, 0, checked.stderr);
    }
  });

  test('is a property list of launchd with the same command and environment', () => {
    const { text } = renderService('launchd', SERVICE);
    const plain = (escaped: string): string =>
      escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const strings = [...text.matchAll(/<string>([^<]*)<\/string>/g)].map(([, one = '']) =>
      plain(one),
    );
    assert.deepEqual(strings, [
      'local.agent-supervisor',
      ...SERVICE.command,
      ...Object.values(SERVICE.environment),
      `${SERVICE.home}/owner.log`,
    ]);
    const open = [...text.matchAll(/<(\w+)(?: [^>]*)?>/g)].map(([, name = '']) => name).toSorted();
    const closed = [...text.matchAll(/<\/(\w+)>/g)].map(([, name = '']) => name).toSorted();
    assert.deepEqual(open, closed);
  });

  test('is refused for a path with a control character', () => {
    for (const manager of ['systemd', 'launchd'] as const)
      assert.throws(
        () => renderService(manager, { ...SERVICE, home: '/home/a\nb' }),
        (error) => isRefusal(error, 'usage.invalid') && error.message.includes('"/home/a\\nb"'),
      );
  });

  test('has the environment that an owner needs, and neither keys nor passwords', () => {
    const env = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'sk-ant-x',
      HTTPS_PROXY: 'http://me:secret@proxy:3128',
      http_proxy: 'http://proxy:3128',
      LANG: '',
    };
    assert.deepEqual(serviceEnvironment(env, '/home/me/.supervisor'), {
      SUPERVISOR_HOME: '/home/me/.supervisor',
      PATH: '/bin',
      http_proxy: 'http://proxy:3128',
    });
  });

  test('is printed alone on standard output, and the next steps on standard error', async () => {
    await using cli = await inProcessCli();
    const { code, out, err } = await cli.say(['owner', 'service', 'systemd']);
    assert.equal(code, 0);
    assert.match(out, /^\[Unit\]\n[^]*\nWantedBy=default\.target\n$/);
    assert.match(
      err,
      /systemctl --user daemon-reload\n {2}systemctl --user enable --now agent-supervisor\n/,
    );
    assert.match(err, /waits after a restart of the machine, unless \/.*\/owner\.env has the key/);
    assert.match(
      err,
      /To stop the owner for good: systemctl --user disable --now agent-supervisor\n$/,
    );
    const json = await cli.say(['owner', 'service', 'launchd', '--json']);
    const { manager, path, start } = OwnerServiceDocument.parse(JSON.parse(json.out));
    assert.deepEqual(
      [manager, path, start.length, json.err],
      ['launchd', '~/Library/LaunchAgents/local.agent-supervisor.plist', 3, ''],
    );
    assert.equal((await cli.say(['owner', 'service', 'upstart'])).code, 2);
  });
});
