import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentBrief, Invocation } from './adapter.ts';
import { adapterFor } from './adapters.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';

const CLIS = ['claude', 'codex', 'gemini', 'copilot', 'opencode'];
const gateway = { baseUrl: 'http://127.0.0.1:7', token: 'run-token-0123456789' };

function brief(
  cli: string,
  rest: Partial<AgentBrief> = {},
  spec: Partial<AgentSpec> = {},
): AgentBrief {
  return {
    agent: { id: 'a', cli, args: [], env: {}, model: 'm-1', ...spec },
    prompt: 'fix it',
    node: '/bin/node',
    workspace: '/w',
    home: '/home/agent',
    promptFile: '/home/agent/prompt',
    resume: null,
    session: null,
    gateway: null,
    limits: null,
    contained: false,
    allowedTools: null,
    answerSchema: null,
    orchestrates: false,
    ...rest,
  };
}

function invoke(
  cli: string,
  rest: Partial<AgentBrief> = {},
  spec: Partial<AgentSpec> = {},
): Invocation {
  const command = adapterFor({ cli })?.command(brief(cli, rest, spec));
  assert.equal(command?.kind, 'run', JSON.stringify(command));
  return command;
}

function refusal(
  cli: string,
  rest: Partial<AgentBrief> = {},
  spec: Partial<AgentSpec> = {},
): string {
  const command = adapterFor({ cli })?.command(brief(cli, rest, spec));
  return command?.kind === 'refused' ? command.why : 'not refused';
}

test('a scripted agent whose program does not exist is refused, not replaced by another one', () => {
  assert.match(
    refusal('scripted', {}, { id: 'scripted:crash' }),
    /no program for scripted:crash\. /,
  );
});

for (const cli of CLIS) {
  describe(cli, () => {
    test('gets its prompt only on stdin, of any size', () => {
      const prompt = `"quoted" $HOME \`x\` \n${'x'.repeat(1_000_000)}`;
      const { stdin, argv } = invoke(cli, { prompt });
      assert.equal(stdin, prompt);
      assert.ok(argv.every((part) => part.length < 2000));
    });

    test('approves its own tools only in a sandbox', () => {
      const approving = /dangerous|yolo|allow-all|--auto$|skip-trust/;
      assert.deepEqual(
        invoke(cli).argv.filter((part) => approving.test(part)),
        [],
      );
      assert.notDeepEqual(
        invoke(cli, { contained: true }).argv.filter((part) => approving.test(part)),
        [],
      );
    });

    test('reaches its model at the given address with the token of the run, or by itself without one', () => {
      const told = (rest: Partial<AgentBrief>): string => {
        const { argv, env, files } = invoke(cli, rest);
        return JSON.stringify([argv, env, files]);
      };
      assert.ok(told({ gateway }).includes(gateway.baseUrl));
      assert.ok(Object.values(invoke(cli, { gateway }).env).includes(gateway.token));
      assert.ok(!told({}).includes('127.0.0.1'));
    });

    test('continues a conversation', () => {
      const id = '0191e7a2-0000-7000-8000-000000000000';
      assert.ok(invoke(cli, { resume: id }).argv.some((part) => part.endsWith(id)));
    });

    test("takes the user's own arguments, model and folder", () => {
      const { argv, env } = invoke(cli, {}, { args: ['--own'], configDir: '/own' });
      assert.ok(argv.includes('--own') && argv.includes('m-1'));
      assert.ok(Object.values(env).includes('/own'));
    });

    test('writes no file into a home that is not its own', () => {
      assert.deepEqual(invoke(cli, { home: null }).files, {});
    });

    test('refuses an unknown tool', () => {
      const why = 'cannot be limited to the tool "run_backtest" (known: read, edit, shell, web)';
      assert.equal(refusal(cli, { allowedTools: ['read_file', 'run_backtest'] }), why);
    });
  });
}

describe('D4: the limits of a model', () => {
  const limits = { context: 400_000, output: 100_000 };
  const gateway = { baseUrl: 'http://127.0.0.1:1', token: 't' };
  const limitIn = (env: Readonly<Record<string, string>>): unknown => {
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as {
      provider: { supervisor: { models: Record<string, { limit: unknown }> } };
    };
    return Object.values(config.provider.supervisor.models)[0]?.limit;
  };
  test('are passed to opencode', () =>
    assert.deepEqual(limitIn(invoke('opencode', { gateway, limits }).env), limits));
  test('are guessed for opencode if they are unknown', () => {
    const guessed = { context: 128_000, output: 16_384 };
    assert.deepEqual(limitIn(invoke('opencode', { gateway }).env), guessed);
  });
  test('are passed to Copilot', () => {
    const { env } = invoke('copilot', { gateway, limits });
    assert.equal(env['COPILOT_PROVIDER_MAX_PROMPT_TOKENS'], '300000');
    assert.equal(env['COPILOT_PROVIDER_MAX_OUTPUT_TOKENS'], '100000');
  });
});

describe('the tools of a role', () => {
  const only = { allowedTools: ['read_file', 'edit'] };
  test('are tools of Claude', () => {
    const { argv } = invoke('claude', only);
    assert.equal(argv[argv.indexOf('--tools') + 1], 'Read,Glob,Grep,Edit,Write,NotebookEdit');
  });
  test('are tools of Copilot', () => {
    const given = invoke('copilot', only).argv.find((part) =>
      part.startsWith('--available-tools='),
    );
    assert.equal(given, '--available-tools=view,glob,grep,rg,create,edit,apply_patch');
  });
  test('are settings of Gemini', () => {
    const [settings = ''] = Object.values(invoke('gemini', only).files);
    const { tools } = JSON.parse(settings) as { tools: { core: string[] } };
    assert.ok(tools.core.includes('replace') && !tools.core.includes('run_shell_command'));
  });
  test('are permissions of opencode', () => {
    const { env } = invoke('opencode', { ...only, contained: true });
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as { permission: unknown };
    assert.deepEqual(config.permission, { bash: 'deny', webfetch: 'deny' });
  });
  test('are refused if a CLI cannot enforce them', () => {
    assert.match(refusal('codex', only), /one tool for reading, editing and running/);
    assert.match(refusal('gemini', { ...only, home: null }), /needs its own home/);
    assert.match(refusal('opencode', { allowedTools: ['shell'] }), /kept from reading/);
    assert.match(refusal('custom', only, { command: ['x'] }), /its tools are unknown/);
  });
});

describe('a schema for the answer', () => {
  const answerSchema = {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['YES'] },
      note: { type: 'string', minLength: 1 },
    },
    required: ['status'],
  };

  test('is passed to the CLIs that enforce one', () => {
    const { argv } = invoke('claude', { answerSchema });
    assert.equal(argv[argv.indexOf('--json-schema') + 1], JSON.stringify(answerSchema));
    const codex = invoke('codex', { answerSchema });
    const file = codex.argv[codex.argv.indexOf('--output-schema') + 1];
    assert.equal(file, '/home/agent/.codex/answer-schema.json');
    assert.deepEqual(JSON.parse(codex.files['.codex/answer-schema.json'] ?? ''), {
      type: 'object',
      properties: {
        status: { type: 'string', enum: ['YES'] },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      required: ['status', 'note'],
      additionalProperties: false,
    });
  });

  test('is left to the prompt by all others, and by Codex in the home of the user', () => {
    for (const cli of ['gemini', 'copilot', 'opencode'])
      assert.deepEqual(invoke(cli, { answerSchema }), invoke(cli));
    assert.deepEqual(
      invoke('codex', { answerSchema, home: null }),
      invoke('codex', { home: null }),
    );
  });
});

describe('a plain profile', () => {
  test('has no schedulers, worktrees and background agents', () => {
    const { argv, env } = invoke('claude');
    const denied = argv[argv.indexOf('--disallowedTools') + 1];
    assert.match(denied ?? '', /CronCreate.*EnterWorktree.*ScheduleWakeup.*SendMessage.*Workflow/);
    assert.equal(env['CLAUDE_CODE_DISABLE_BACKGROUND_TASKS'], '1');
    assert.ok(invoke('copilot').argv.some((part) => part.includes('write_agent')));
  });
  test('is not forced on an agent that orchestrates', () => {
    const { argv } = invoke('claude', { orchestrates: true });
    assert.ok(!argv.includes('--disallowedTools'));
    assert.ok(
      !invoke('copilot', { orchestrates: true }).argv.some((part) => part.includes('write_agent')),
    );
  });
});

describe('what only one CLI needs', () => {
  test('a prompt that begins with a slash is not a command of Claude or Gemini', () => {
    for (const cli of ['claude', 'gemini'])
      assert.equal(invoke(cli, { prompt: '/clear the table' }).stdin, 'Task:\n/clear the table');
  });
  test('Claude and Codex end in order on SIGINT', () => {
    assert.deepEqual(
      CLIS.map((cli) => invoke(cli).askSignal),
      ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGTERM', 'SIGTERM'],
    );
  });
  test('13: Gemini leaves its dumps in its own home', () => {
    assert.equal(invoke('gemini').env['TMPDIR'], '/home/agent/.gemini');
    assert.equal(invoke('gemini').env['GEMINI_CLI_NO_RELAUNCH'], 'true');
  });
  test('15: Codex asks for the model that the user named, and for none by itself', () => {
    assert.ok(!invoke('codex', {}, { model: null }).argv.includes('-m'));
  });
  test('Copilot and opencode need a model behind the gateway', () => {
    for (const cli of ['copilot', 'opencode'])
      assert.match(refusal(cli, { gateway }, { model: null }), /needs a model/);
  });
  test('retries are left to Supervisor if the gateway is in place', () => {
    assert.equal(invoke('claude', { gateway }).env['CLAUDE_CODE_MAX_RETRIES'], '1');
    assert.ok(invoke('codex', { gateway }).argv.join(' ').includes('stream_max_retries=1'));
    assert.ok(
      invoke('gemini', { gateway }).files['.gemini/settings.json']?.includes('"maxAttempts":1'),
    );
    assert.equal(invoke('claude').env['CLAUDE_CODE_MAX_RETRIES'], undefined);
  });
});

describe('a custom program', () => {
  const spec = { command: ['./agent.sh', '--in={prompt_file}', '{workspace}', '{model}'] };
  test('has its placeholders filled in', () => {
    const { argv, stdin, wantsPromptFile } = invoke('custom', {}, spec);
    assert.deepEqual(
      [argv, stdin, wantsPromptFile],
      [['./agent.sh', '--in=/home/agent/prompt', '/w', 'm-1'], '', true],
    );
  });
  test('gets the prompt on stdin if its command does not mention it', () => {
    assert.equal(invoke('custom', {}, { command: ['./a'] }).stdin, 'fix it');
  });
  test('gets a prompt that looks like a placeholder unchanged', () => {
    const prompt = '{model} $& {prompt}';
    assert.deepEqual(invoke('custom', { prompt }, { command: ['a', '{prompt}'] }).argv, [
      'a',
      prompt,
    ]);
  });
  test('cannot take a long prompt as an argument', () => {
    const why = 'cannot take so long a prompt as an argument: use {prompt_file}';
    assert.equal(
      refusal('custom', { prompt: 'x'.repeat(130_000) }, { command: ['a', '{prompt}'] }),
      why,
    );
  });
  test('may have its command line in args', () => {
    assert.deepEqual(invoke('custom', {}, { args: ['node', 'a.js'] }).argv, ['node', 'a.js']);
  });
  test('is read by its paths', () => {
    const output = {
      format: 'jsonl',
      result: 'a.0.text',
      usage: 'u',
      session: 's',
      error: 'e',
    } as const;
    const adapter = adapterFor({ cli: 'custom', output });
    const line =
      '{"a":[{"text":"done"}],"s":"1","u":{"input_tokens":3,"output_tokens":2,"cost_usd":0.5}}';
    assert.deepEqual(adapter?.read(line, 'stdout'), [
      { kind: 'session', id: '1' },
      {
        kind: 'usage',
        whole: true,
        usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 0, costUsd: 0.5 },
      },
      { kind: 'concluded', summary: 'done' },
    ]);
    const [failed] = adapter.read('{"e":{"status":429,"message":"slow"}}', 'stdout');
    assert.equal(failed?.kind === 'failed' ? failed.error.status : undefined, 429);
  });
});

describe('at a terminal', () => {
  const contained = { contained: true, gateway };
  const argvOf = (cli: string, rest: Partial<AgentBrief>): readonly string[] => {
    const found = adapterFor({ cli })?.atTerminal?.(brief(cli, { ...contained, ...rest }));
    assert.equal(found?.kind, 'run', JSON.stringify(found));
    return found.argv;
  };
  const resumed: readonly (readonly [cli: string, words: string])[] = [
    ['claude', 'claude --dangerously-skip-permissions --model m-1 --resume s1'],
    ['codex', 'codex resume --dangerously-bypass-approvals-and-sandbox -m m-1'],
    ['gemini', 'gemini --approval-mode yolo --skip-trust -m m-1 --resume s1'],
    ['copilot', 'copilot --no-auto-update --allow-all --resume=s1'],
    ['opencode', 'opencode --auto -m supervisor/m-1 --session s1'],
  ];
  for (const [cli, words] of resumed)
    test(`${cli} opens its conversation, and nothing says that no person is there`, () => {
      const argv = argvOf(cli, { resume: 's1' });
      assert.equal(argv.slice(0, words.split(' ').length).join(' '), words);
      assert.ok(argv.includes('s1') || argv.includes('--resume=s1'));
      for (const alone of ['-p', 'exec', 'run', '--format', '--output-format', '--no-ask-user'])
        assert.ok(!argv.includes(alone), alone);
      assert.ok(!argv.some((word) => word.includes('fix it')), 'a prompt');
    });

  for (const cli of CLIS)
    test(`${cli} gets the task in a new conversation, or the file that has it`, () => {
      assert.match(argvOf(cli, {}).at(-1) ?? '', /fix it$/);
      const long = argvOf(cli, { prompt: 'x'.repeat(30_000) }).at(-1);
      assert.match(long ?? '', /Your task is in the file \/home\/agent\/prompt\. Read it\.$/);
    });

  test('a name that Supervisor gave is the session of the next attempt', () => {
    const sessions = CLIS.map((cli) => {
      const found = adapterFor({ cli })?.atTerminal?.(brief(cli, { ...contained, session: 'new' }));
      return found?.kind === 'run' ? found.session : undefined;
    });
    assert.deepEqual(sessions, ['new', null, 'new', 'new', null]);
  });
});
