/** Runs a canary: one installed CLI on a small task, in a temporary folder, against Supervisor's own model server. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentAdapter, OutputStream } from '../../adapters/adapter.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from '../../adapters/transcript.ts';
import { newRunId } from '../../base/ids.ts';
import type { Canary, CanaryResult } from '../../doctor/canary.ts';
import { CANARY_CONTENT, CANARY_FILE, CANARY_PROMPT, CANARY_WORDS } from '../../doctor/canary.ts';
import { LineReader } from '../../host/output/line-reader.ts';
import { ProcessGroup } from '../../host/process/process-group.ts';
import type { CliContext } from '../cli-context.ts';

const BOUND_MS = 120_000;

export async function runCanary(
  adapter: AgentAdapter,
  canary: Canary,
  program: string,
  context: CliContext,
): Promise<CanaryResult | { readonly kind: 'refused'; readonly why: string }> {
  await using folder = await makeFolder();
  const { home, cwd } = folder;
  const call = canary.write(join(cwd, CANARY_FILE), CANARY_FILE, CANARY_CONTENT);
  // The model server is part of the published test kit. The architecture test has an exception for this import.
  const { ModelServer } = await import('../../testing/model-server/model-server.ts');
  await using server = await ModelServer.start({
    script: { steps: [{ calls: [call] }, { text: CANARY_WORDS }] },
  });
  const command = adapter.command({
    agent: { id: 'canary', cli: adapter.cli, args: [], env: {}, model: canary.model },
    prompt: CANARY_PROMPT,
    node: context.node,
    workspace: cwd,
    home,
    promptFile: join(home, 'prompt'),
    resume: null,
    session: null,
    gateway: { baseUrl: server.url, token: `canary-key-${newRunId(context.random)}` },
    limits: null,
    contained: true,
    allowedTools: null,
    answerSchema: null,
    orchestrates: false,
  });
  if (command.kind === 'refused') return command;
  for (const [name, text] of Object.entries(command.files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  let transcript = EMPTY_TRANSCRIPT;
  const readers = { stdout: new LineReader(), stderr: new LineReader() };
  const take = (stream: OutputStream) => (chunk: Uint8Array) => {
    for (const { text } of readers[stream].push(chunk))
      transcript = adapter.read(text, stream).reduce(foldTranscript, transcript);
  };
  const [, ...args] = command.argv;
  const { PATH = '', LANG = 'C.UTF-8' } = context.env;
  const group = new ProcessGroup(
    {
      argv: [program, ...args],
      cwd,
      env: { PATH, LANG, HOME: home, TMPDIR: home, TERM: 'dumb', NO_COLOR: '1', ...command.env },
      stdin: command.stdin,
    },
    {
      tag: `canary-${context.pid}/${adapter.cli}`,
      clock: context.clock,
      onStdout: take('stdout'),
      onStderr: take('stderr'),
    },
  );
  const over = new AbortController();
  const bound = async (): Promise<void> => {
    if (await context.clock.sleep(BOUND_MS, over.signal)) await group.kill();
  };
  void bound();
  const forget = context.onInterrupt(() => void group.kill());
  try {
    const exit = await group.ended;
    const calls = server.journal().filter(({ kind }) => kind === 'main');
    return {
      transcript,
      verdict: adapter.conclude(exit, transcript),
      requests: calls.map(({ body }) => JSON.stringify(body)),
      refusals: calls.flatMap(({ answered }) =>
        answered.kind === 'refused' ? [`${answered.rule}: ${answered.message}`] : [],
      ),
      // A file that was not written is a finding, not an error.
      fileContent: await readFile(join(cwd, CANARY_FILE), 'utf8').catch(() => null),
    };
  } finally {
    over.abort();
    forget();
  }
}

async function makeFolder(): Promise<
  AsyncDisposable & { readonly home: string; readonly cwd: string }
> {
  const root = await mkdtemp(join(tmpdir(), 'supervisor-canary-'));
  const folder = { home: join(root, 'home'), cwd: join(root, 'work') };
  await mkdir(folder.home);
  await mkdir(folder.cwd);
  return {
    ...folder,
    // A child process of the CLI may still be writing while the folder is deleted.
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
