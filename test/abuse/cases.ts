/**
 * Every kind of abuse that we know, and the tests that show the answer to each. `cases.test.ts`
 * checks the list.
 */

type AbuseCase = {
  readonly number: string;
  /** The attack. */
  readonly tries: string;
  /** The files with tests whose names begin with it. */
  readonly shownBy: readonly string[];
  /** The part that no test shows, and why. */
  readonly rest: string | undefined;
};

const SURPRISES = 'src/adapters/surprises.test.ts';
const LESSONS = 'src/attempts/lessons.test.ts';
const PERFORM_ATTEMPT = 'src/execution/perform-attempt.test.ts';
const IDS = 'src/base/ids.test.ts';
const JSON = 'src/base/json.test.ts';
const PATTERN = 'src/base/linear-regex.test.ts';
const COMMANDS = 'src/cli/commands/commands.test.ts';
const FACE = 'src/cli/cli-context.test.ts';
const CONFIG_TEXT = 'src/config/config-text.test.ts';
const ROOM = 'src/owner/disk-headroom.test.ts';
const CONNECT_PROXY = 'src/gateway/network/connect-proxy.test.ts';
const EXCHANGE = 'src/gateway/calls/exchange.test.ts';
const GATEWAY = 'src/gateway/gateway.test.ts';
const COLLECT_FILES = 'src/host/files/tree/collect-files.test.ts';
const DISK_USE = 'src/host/files/disk-use.test.ts';
const LINE_READER = 'src/host/output/line-reader.test.ts';
const PROCESS_GROUP = 'src/host/process/process-group.test.ts';
const PROCESS_TABLE = 'src/host/process/process-table.test.ts';
const SYSTEM_CLOCK = 'src/host/machine/system-clock.test.ts';
const TREE_READER = 'src/host/files/tree/tree-reader.test.ts';
const TREE = 'src/host/files/tree/host-tree.test.ts';
const WHICH = 'src/host/process/which.test.ts';
const READ_ANSWER = 'src/prompts/read-answer.test.ts';
const KEPT_STREAM = 'src/redaction/redact-stream.test.ts';
const REDACTOR = 'src/redaction/redactor.test.ts';
const LOAD_ROLE = 'src/roles/load-role-refused.test.ts';
const ADMIT = 'src/server/admit.test.ts';
const REFUSALS = 'src/server/refusals.test.ts';
const SERVER_BRANCH = 'src/server/server-branch.test.ts';
const SSE = 'src/server/sse-stream.test.ts';
const DATABASE = 'src/store/sqlite/database.test.ts';
const SQLITE_JOURNAL = 'src/store/sqlite/sqlite-journal.test.ts';
const SCRIPTED_AGENTS = 'src/testing/scripted-agents.test.ts';
const DOCS = 'test/abuse/docs.test.ts';
const FLOOD = 'test/abuse/flood.slow.test.ts';
const HIJACKED_TOOLS = 'test/abuse/hijacked-tools.test.ts';
const INSTALL_SCRIPTS = 'test/abuse/install-scripts.test.ts';
const STOLEN_TOKEN = 'test/abuse/stolen-token.test.ts';
const CONTAINED_KILLED = 'test/crash/contained-killed.slow.test.ts';
const FULL_DISK = 'test/crash/full-disk.test.ts';
const JOURNAL = 'test/crash/journal.test.ts';
const OWNER_KILLED = 'test/crash/owner-killed.test.ts';
const OWNER_LOCK = 'test/crash/owner-lock.test.ts';
const WORKSPACE_KILLED = 'test/crash/workspace-killed.test.ts';
const INTERRUPTS = 'test/e2e/interrupts.slow.test.ts';
const OWNER = 'test/e2e/owner.slow.test.ts';
const SETUP = 'test/e2e/setup.slow.test.ts';
const GATE = 'test/gates/gate.slow.test.ts';
const LOOP = 'test/gates/loop.slow.test.ts';
const GATEWAY_ABUSE = 'test/gateway/abuse.test.ts';
const BUDGETS = 'test/real/budgets.test.ts';
const SANDBOX = 'test/sandbox/abuse.slow.test.ts';
const EVERY_SANDBOX = 'test/sandbox/shared-abuse.ts';
const WORKSPACE = 'test/workspace/abuse.test.ts';
const GIT_MATRIX = 'test/workspace/attack-matrix.slow.test.ts';
const GIT_ATTACKS = 'test/workspace/attacks.ts';

const ROWS: readonly [number: string, tries: string, shownBy: readonly string[], rest?: string][] =
  [
    [
      '1',
      'a link that leads out of the tree is read or written through',
      [COLLECT_FILES, TREE_READER, SANDBOX, WORKSPACE],
    ],
    ['2', 'a file is swapped for a link while we read it', [COLLECT_FILES, WORKSPACE]],
    ['3', 'a second name for a file outside', [COLLECT_FILES, SANDBOX, WORKSPACE]],
    ['4', 'hooks in .git', [GIT_ATTACKS]],
    ['5', 'settings and attributes that make git run programs', [GIT_ATTACKS]],
    ['6', '.git moved away, or replaced by a pointer elsewhere', [SANDBOX, GIT_ATTACKS]],
    ['7', 'a repository inside that hides files, and submodules', [WORKSPACE, GIT_ATTACKS]],
    ['8', 'LFS pointers, and the filter that they ask for', [WORKSPACE]],
    ['9', 'an agent edits what it is judged by', [GATE, WORKSPACE]],
    ['10', 'names that mean .git somewhere, or differ in case alone', [WORKSPACE]],
    ['11', 'pipes, sockets, devices and huge sparse files', [COLLECT_FILES, TREE, WORKSPACE]],
    ['12', 'locks and half-made trees of a killed owner', [WORKSPACE_KILLED, WORKSPACE]],
    ['12a', 'objects of git that a tree shares with its user', [GIT_MATRIX]],
    ['13', 'secrets in files', [SANDBOX]],
    ['14', 'secrets in environments', [EVERY_SANDBOX]],
    ['15', 'secrets in arguments', [EVERY_SANDBOX]],
    [
      '16',
      'the key of a model, and a token that was carried off',
      [GATEWAY, STOLEN_TOKEN, GATEWAY_ABUSE],
    ],
    ['17', 'a secret is printed, in any form and in pieces', [KEPT_STREAM, REDACTOR, BUDGETS]],
    ['18', 'sockets of engines, buses and key agents', [SANDBOX]],
    ['19', 'addresses in every spelling', [CONNECT_PROXY, SANDBOX]],
    ['20', 'an allowed name that leads to a private address', [CONNECT_PROXY]],
    ['21', 'a tunnel through DNS', [SANDBOX]],
    [
      '22',
      'smuggled and pipelined requests, idle connections, endless uploads',
      [CONNECT_PROXY, GATEWAY, GATEWAY_ABUSE],
    ],
    [
      '23',
      'carrying data off through the very API that is allowed',
      [DOCS, BUDGETS],
      'It cannot be prevented: an agent that may talk to a model may send it anything. The calls are counted and recorded, and the record is shown.',
    ],
    ['24', 'a gate that wants a network', [GATE, EVERY_SANDBOX]],
    ['25', 'a fork bomb', [EVERY_SANDBOX]],
    ['26', 'a memory bomb in a grandchild', [EVERY_SANDBOX]],
    [
      '27',
      'a spin on all processors',
      [EVERY_SANDBOX],
      'How late our own loop is then is measured by no test, since tests assert nothing about time.',
    ],
    ['28', 'a full disk, by bytes and by files', [ROOM, DISK_USE, SANDBOX, EVERY_SANDBOX]],
    ['29', 'a daemon that outlives its parent', [PROCESS_GROUP, EVERY_SANDBOX]],
    ['30', 'a command that is deaf to signals', [PROCESS_GROUP, EVERY_SANDBOX]],
    ['31', 'a grandchild that holds the output open', [PROCESS_GROUP, EVERY_SANDBOX]],
    ['32', 'a pid that now belongs to another process', [PROCESS_TABLE]],
    ['33', 'zombies', [EVERY_SANDBOX]],
    [
      '34',
      'the owner is killed in the middle of a run',
      [CONTAINED_KILLED, OWNER_KILLED, EVERY_SANDBOX],
    ],
    ['35', 'looking into and tracing other processes', [SANDBOX]],
    ['36', 'the surface of the kernel', [SANDBOX]],
    ['37', 'typing for the user into their terminal', [SANDBOX]],
    [
      '38',
      'tools, start-up files and variables that lie in wait',
      [WHICH, HIJACKED_TOOLS, SANDBOX, WORKSPACE],
    ],
    [
      '39',
      'output without measure, and a line without an end',
      [LINE_READER, PROCESS_GROUP, SCRIPTED_AGENTS, FLOOD],
    ],
    ['40', 'bytes that are no text, and characters cut in two', [LINE_READER, PROCESS_GROUP]],
    ['41', 'output that steers a terminal or hides words', [COMMANDS, FACE]],
    ['42', 'success that is only printed', [SURPRISES, LESSONS, PERFORM_ATTEMPT]],
    [
      '43',
      'JSON that is too deep, too large, or names the prototype',
      [SURPRISES, JSON, CONFIG_TEXT, EXCHANGE, READ_ANSWER, REFUSALS],
    ],
    ['44', 'YAML whose aliases unfold', [CONFIG_TEXT]],
    ['45', 'a pattern that takes for ever', [PATTERN]],
    ['46', 'names that climb out of their folder', [IDS, LOAD_ROLE, REFUSALS]],
    [
      '47',
      'archives and packings that are bombs or reach outside',
      [GATEWAY_ABUSE],
      'Supervisor unpacks no archive: roles are plain files, and packages are unpacked by npm and pip, in a sandbox.',
    ],
    ['48', 'scripts that packages run when they are installed', [INSTALL_SCRIPTS, SETUP]],
    ['49', 'files of a project that ask for other rules', [LOOP]],
    ['50', 'a page of another site sends requests to the owner', [ADMIT, SERVER_BRANCH]],
    ['51', 'a name that was made to point to the owner', [ADMIT, SERVER_BRANCH]],
    [
      '52',
      'streams without a token, a token in an address, a client that does not read',
      [ADMIT, SERVER_BRANCH, SSE],
    ],
    [
      '53',
      'scripts in what an agent prints, run by a page that Supervisor serves',
      [],
      'There is no page yet: the owner answers with JSON and events alone.',
    ],
    ['54', 'paths that lead to files of the owner', [SERVER_BRANCH]],
    ['55', 'the disk is full when a fact is to be written', [SQLITE_JOURNAL, FULL_DISK]],
    ['56', 'killed in the middle of a write', [JOURNAL]],
    ['57', 'two owners of one home', [OWNER_LOCK, OWNER]],
    ['58', 'the wall clock jumps', [SYSTEM_CLOCK]],
    ['59', 'a journal of a newer program', [DATABASE, OWNER]],
    ['60', 'Ctrl-C twice, a closed terminal, a reader that leaves', [INTERRUPTS]],
  ];

export const CASES: readonly AbuseCase[] = ROWS.map(([number, tries, shownBy, rest]) => ({
  number,
  tries,
  shownBy,
  rest,
}));
