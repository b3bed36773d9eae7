/**
 * A newcomer with an empty home, a project, Claude Code and Codex. At a terminal, they type
 * commands and answer questions with the default.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRecord, parseJson } from '../../../src/base/json.ts';
import { homeAt } from '../../../src/host/machine/state-home.ts';
import { killTagged } from '../../../src/host/process/kill-tagged.ts';
import { ModelServer } from '../../../src/testing/model-server/model-server.ts';
import { gone, livingOf } from '../../e2e/cli-process-harness.ts';
import type { LocalRegistry } from '../../e2e/local-registry.ts';
import { commandOf } from '../clis.ts';
import { providerEnv } from '../sandboxed-clis.ts';
import { SECRET } from '../sandboxed-harness.ts';
import type { NewcomerCli } from './editing-model.ts';
import { editingModel } from './editing-model.ts';
import type { NewcomerProject } from './projects.ts';
import type { TerminalSize } from '../../support/tmux-terminal.ts';
import { TmuxTerminal } from '../../support/tmux-terminal.ts';

export type Newcomer = TerminalSize & {
  readonly project: NewcomerProject;
  readonly cli: NewcomerCli;
  readonly registry: LocalRegistry;
  /** The folder with the installed `supervisor`. */
  readonly bin: string;
  /** Shared by all newcomers, so that only the first waits for the compiler. */
  readonly compiled: string;
};

/** The lines on the screen from a command to the next prompt. */
export type Screen = readonly string[];

/** The real home is as long as the name that is shown for it, so lines wrap at the same place. */
const HOME_PREFIX = '/tmp/sv-';
const HOME_SHOWN = '/home/newcomer';

/** Types the commands one after the other, and returns the screen of each. */
export async function typeAsNewcomer(
  { project, cli, registry, bin, compiled, columns, rows }: Newcomer,
  commands: readonly string[],
): Promise<readonly Screen[]> {
  const script = editingModel(cli, project.model);
  await using server = await ModelServer.start({ keys: [SECRET], script });
  await using home = await newHome(registry);
  const env = {
    HOME: home.path,
    PATH: [join(home.path, 'bin'), bin, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    LANG: 'C.UTF-8',
    PS1: String.raw`\w $ `,
    NODE_COMPILE_CACHE: compiled,
    ...providerEnv(server.url),
  };
  const cwd = join(home.path, project.name);
  await makeProject(cwd, project, registry, env);
  const socket = join(home.path, 'tmux.sock');
  await using terminal = await TmuxTerminal.open({ socket, cwd, env, columns, rows });
  const prompt = `~/${project.name} $`;
  const screens: Screen[] = [];
  for (const command of commands) {
    const lines = await typeCommand(terminal, prompt, command, answersOf(cli));
    screens.push(lines.map((line) => line.replaceAll(home.path, HOME_SHOWN)));
  }
  return screens;
}

/** A question, from its first word to its last, and the keys that answer it. */
type Answer = { readonly question: RegExp; readonly keys: readonly string[] };

function answersOf(cli: NewcomerCli): readonly Answer[] {
  return [
    // Codex is the default.
    {
      question: /Which agent begins\?[^]*codex\s[^]*claude\s*$/m,
      keys: cli === 'codex' ? ['Enter'] : ['Down', 'Enter'],
    },
    { question: /Write this to[^]*Cancel/, keys: ['Enter'] },
    { question: /Add role packs\?[^]*fits: /, keys: ['Enter'] },
  ];
}

async function typeCommand(
  terminal: TmuxTerminal,
  prompt: string,
  command: string,
  answers: readonly Answer[],
): Promise<Screen> {
  const isReady = (lines: readonly string[]): boolean => lines.at(-1) === prompt;
  const { length } = await terminal.until('a prompt', isReady);
  const screenOf = (lines: readonly string[]): Screen => lines.slice(length - 1);
  await terminal.type(command);
  await terminal.press('Enter');
  const open = [...answers];
  for (;;) {
    const isOver = (lines: readonly string[]): boolean => lines.length > length && isReady(lines);
    const asked = (lines: readonly string[]): Answer | undefined =>
      open.find(({ question }) => question.test(screenOf(lines).join('\n')));
    const lines = await terminal.until(
      `the end of ${command}`,
      (now) => isOver(now) || asked(now) !== undefined,
    );
    if (isOver(lines)) return screenOf(lines).slice(0, -1);
    const answer = asked(lines);
    if (answer === undefined) continue;
    open.splice(open.indexOf(answer), 1);
    for (const key of answer.keys) await terminal.press(key);
  }
}

/** With only the two CLIs, and the Node that runs the tests. */
async function newHome({
  url,
  cafile,
}: LocalRegistry): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(HOME_PREFIX);
  const bin = join(path, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  for (const cli of ['claude', 'codex'] as const)
    await symlink(commandOf(cli) ?? '', join(bin, cli));
  await write(path, {
    '.gitconfig': '[user]\nname = Newcomer\nemail = newcomer@example.com\n',
    '.npmrc': `registry=${url}\ncafile=${cafile}\n`,
    '.config/pip/pip.conf': `[global]\nindex-url = ${url}simple\ncert = ${cafile}\n`,
  });
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await endOwner(join(path, '.supervisor'));
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function endOwner(stateDir: string): Promise<void> {
  const { ownerFile, id } = homeAt(stateDir, stateDir);
  const facts = parseJson(await readFile(ownerFile, 'utf8').catch(() => ''));
  const pids = isRecord(facts) ? [Number(facts['pid'])] : [];
  for (const pid of await livingOf(pids)) process.kill(pid, 'SIGTERM');
  await gone(pids);
  await killTagged(`supervisor:${id}`);
}

/** Committed, and with its dependencies installed. */
async function makeProject(
  dir: string,
  { files, prepared }: NewcomerProject,
  registry: LocalRegistry,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await write(dir, files(registry));
  const line = `git init --quiet --initial-branch main && git add --all && git commit --quiet -m first && ${prepared}`;
  // The registry answers in this process, so nothing may block it.
  await promisify(execFile)('sh', ['-c', line], { cwd: dir, env });
}

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
