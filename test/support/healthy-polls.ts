/** Looks at something slow that say the same each time, in the words of many tools and languages. */
import { CliForms } from './cli-forms.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { bash, failed, turn, turns } from './turn-script.ts';

type Histories = readonly (readonly [why: string, script: readonly ScriptedTurn[]])[];

const LOOKS = 20;
const tool = (name: string, input: unknown, output: string): ScriptedStep => ({
  ...{ tool: name, input, output, isError: false },
});
const [claude, codex, gemini] = (['claude', 'codex', 'gemini'] as const).map(
  (name) => new CliForms(name),
) as [CliForms, CliForms, CliForms];

/** What a job says about itself. */
const STATES: readonly (readonly [command: string, output: string])[] = [
  ['curl -s https://ci/api/jobs/7 | jq -r .state', 'EXECUTING'],
  ['./ask-job 7', 'SUBMITTED'],
  ['aws emr describe-step --query State', '"ACTIVE"'],
  ['./node-info', 'Syncing block 12'],
  ['curl -s https://x/api/exec/9', '{"id":9,"finishedAt":null,"success":null}'],
  ['./show app', 'name: app\nphase: Provisioning\nurl: none'],
  ['./train --eta', 'remaining: 2h 10m'],
  ['./job 7', '\u001b[33mRUNNING\u001b[0m'],
  ['./job 7', 'Job 7\r\nstate: RUNNING\r\n'],
  ['./download --show', '  1%\r  5%\r 12%'],
  ['argocd app get web', 'Health Status: Progressing'],
  ['bjobs 12', 'JOBID USER STAT\n12 me RUN'],
  ['docker compose ps', 'NAME STATUS\ndb Up 3 seconds (health: starting)'],
  ['./auftrag 7', 'Auftrag 7 läuft noch'],
  ['./tache 7', 'La tâche 7 est en cours'],
  ['./trabajo 7', 'El trabajo 7 está en ejecución'],
  ['./job 7', 'ジョブ 7 は実行中です'],
  ['./job 7', '任务 7 正在运行'],
];

/** What says nothing about a job, but may change without the agent. */
const OUTSIDE: readonly (readonly [command: string, output: string])[] = [
  ['docker logs app --tail 3', 'Listening'],
  ['journalctl -u app -n 3 --no-pager', 'Nov 19 app started'],
  ['kubectl logs job/train --tail=2', 'loss 0.3'],
  ['tail -n 5 nohup.out', 'cc a.c'],
  ['tail -3 made.txt', 'cc a.c'],
  ['cat build.log', 'cc a.c\ncc b.c'],
  ['grep -c PASS test-run.log', '17'],
  ['cat /proc/4711/status | head -3', 'Name: make\nState: S'],
  ['[ -f done ] && echo yes || echo no', 'no'],
  ['test -f dist/app.js; echo $?', '1'],
  ['gh api repos/o/r/actions/runs/7 --jq .conclusion', ''],
  ['curl -s -o /dev/null -w "%{http_code}" https://app.example', '404'],
  ['npm view pkg version', '1.2.3'],
  ['git fetch && git log origin/main -1 --oneline', 'the old one'],
  ["psql -tc 'select count(*) from out'", ' 1200'],
  ['redis-cli llen q', '17'],
  ['adb devices', 'List of devices attached'],
  ['pm2 list', 'app online'],
];

/** The question itself fails, because nothing answers yet. */
const UNANSWERED: readonly (readonly [command: string, output: string])[] = [
  ['make db-ready', 'the database is not ready'],
  ['./ci test-7', 'Test 7 is still running'],
  ['redis-cli ping', 'Could not connect to Redis at 127.0.0.1:6379: Connection refused'],
  ['mysqladmin ping -h db', "mysqladmin: connect to server at 'db' failed"],
  ['docker info', 'Cannot connect to the Docker daemon. Is the docker daemon running?'],
  ['ssh root@vm true', 'ssh: connect to host vm port 22: Connection timed out'],
  ['curl -s -o /dev/null -w "%{http_code}" localhost:3000', 'Exit code 7\n000'],
  ['aws s3 ls s3://b/out/', 'Exit code 1'],
  ['test -f dist/app.js', 'Exit code 1'],
  ['sleep 20; ls out.json', "ls: cannot access 'out.json': No such file or directory"],
  ['apt-get install x', 'E: Could not get lock /var/lib/dpkg/lock. It is held by process 9'],
  ['aws s3 cp a s3://b', 'An error occurred (ThrottlingException): Rate exceeded'],
];

const TOOLS: readonly (readonly [tool: string, input: unknown, output: string])[] = [
  ['mcp__ci__get_build', { id: 9 }, '{"id":9,"isComplete":false}'],
  ['mcp__batch__get_job', { id: 7 }, 'Job 7: executing step 3'],
  ['mcp__vercel__list_deployments', {}, '{"deployments":[{"readyState":"BUILDING"}]}'],
  ['mcp__k8s__pods_log', { name: 'a' }, 'waiting for peers'],
  ['WebFetch', { url: 'https://ci.example/7' }, 'The build is still in progress.'],
  ['Read', { file_path: '/tmp/claude/tasks/b3f2a1.output' }, '     1→cc a.c'],
  ['TaskOutput', { task_id: 'b' }, '<retrieval_status>timeout</retrieval_status>'],
  ['AgentOutputTool', { agentId: 'a' }, '<status>running</status>'],
  ['read_agent', { agent_id: 'a' }, 'Agent a: working'],
  ['list_agents', {}, '{"agents":[{"id":"a","status":"running"}]}'],
  ['read_background_output', { pid: 12 }, 'cc a.c'],
  ['list_background_processes', {}, '[PID 12] Running: make all'],
  ['powershell', { command: 'Get-Job -Id 3' }, 'Id Name State\r\n3 Job3 Running\r\n'],
  ['powershell', { command: 'Start-Sleep 10; Get-Content build.txt' }, 'cc a\r\n'],
  ['browser_press_key', { key: 'PageDown' }, ''],
];

/** A job that the agent has left running, and looks at its results. */
const JOBS: Histories = [
  [
    'a build in the background whose result is looked for',
    [
      turn(bash('make -j8 > build.log 2>&1 &', '')),
      ...turns(LOOKS, () =>
        turn(failed('ls target/app', "ls: cannot access 'target/app': No such file or directory")),
      ),
    ],
  ],
  [
    'a build in the background of Claude Code whose folder stays empty',
    [
      turn(
        tool('Bash', { command: 'cargo build', run_in_background: true }, 'Running, with ID b1'),
      ),
      ...turns(LOOKS, () => turn(claude.shell('ls -la target/', 'total 0'))),
    ],
  ],
  [
    'a build of codex that goes on in its session',
    [
      turn(
        tool(
          'exec_command',
          { cmd: 'cargo build' },
          'Chunk ID: 12ab\nWall time: 10.0 seconds\nProcess running with session ID 7\nOriginal token count: 0\nOutput:\n',
        ),
      ),
      ...turns(LOOKS, () => turn(codex.shell('ls target', 'debug'))),
    ],
  ],
  [
    'a training run whose rows are counted',
    [
      turn(gemini.shell('nohup python train.py > out.txt &', '')),
      ...turns(LOOKS, () => turn(gemini.shell('wc -l results.csv', '10 results.csv'))),
    ],
  ],
  [
    'a build that never ends in its time, and gets further each time',
    turns(6, (nth) =>
      turn(
        failed(
          'cargo build --release',
          `Command timed out after 2m 0.0s\n   Compiling dep${nth * 40} v1.0`,
        ),
      ),
    ),
  ],
];

export const HEALTHY_POLLS: Histories = [
  ...[...STATES, ...OUTSIDE].map(
    ([command, output]) =>
      [`it asks: ${command}: ${output}`, turns(LOOKS, () => turn(bash(command, output)))] as const,
  ),
  ...UNANSWERED.map(
    ([command, output]) =>
      [`it asks in vain: ${command}`, turns(LOOKS, () => turn(failed(command, output)))] as const,
  ),
  ...TOOLS.map(
    ([name, input, output]) =>
      [`it asks with ${name}`, turns(LOOKS, () => turn(tool(name, input, output)))] as const,
  ),
  ...JOBS,
];
