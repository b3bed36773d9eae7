/** Long healthy work that waits for something else, which takes its time. */
import { CliForms } from './cli-forms.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { bash, failed, turn, turns } from './turn-script.ts';

const tool = (name: string, input: unknown, output: string, isError = false): ScriptedStep => ({
  tool: name,
  input,
  output,
  isError,
});
const fetched = (output: string, isError = false): ScriptedStep =>
  tool('WebFetch', { url: 'https://docs.example/api', prompt: 'read it' }, output, isError);
const codex = new CliForms('codex');
const gemini = new CliForms('gemini');
const copilot = new CliForms('copilot');
const opencode = new CliForms('opencode');

export const HEALTHY_WAITS: readonly (readonly [why: string, script: readonly ScriptedTurn[]])[] = [
  [
    'a job of a cluster whose answer is JSON on many lines',
    turns(50, (nth) =>
      turn(
        bash(
          'curl -s https://ci.example/api/builds/12',
          `{\n  "id": 12,\n  "status": "${nth < 50 ? 'running' : 'passed'}",\n  "url": "https://ci.example/12"\n}`,
        ),
      ),
    ),
  ],
  [
    'a list of many pods that takes long to change',
    turns(50, () =>
      turn(
        bash(
          'kubectl get pods -n web',
          Array.from({ length: 20 }, (_, pod) => `web-${pod}  0/1  ContainerCreating  0  1m`).join(
            '\n',
          ),
        ),
      ),
    ),
  ],
  [
    'a service whose health check is refused until it is up',
    [
      ...turns(50, () =>
        turn(
          failed(
            'curl -sf localhost:8080/healthz',
            'curl: (7) Failed to connect: Connection refused',
          ),
        ),
      ),
      turn(bash('curl -sf localhost:8080/healthz', 'ok')),
    ],
  ],
  [
    'a port that is closed until the server listens',
    [
      ...turns(20, () => turn(failed('nc -z localhost 5432'))),
      turn(bash('nc -z localhost 5432', '')),
    ],
  ],
  [
    'a server that is asked after each pause until it listens',
    turns(30, (nth) =>
      turn(
        nth % 2 === 0
          ? bash('sleep 5', '')
          : failed('curl -s localhost:3000/', 'curl: (7) Failed to connect: Connection refused'),
      ),
    ),
  ],
  [
    'a result file that appears late, with a pause before each look',
    turns(40, (nth) =>
      turn(
        nth % 2 === 0
          ? bash('sleep 30', '')
          : failed(
              'ls out/result.json',
              "ls: cannot access 'out/result.json': No such file or directory",
            ),
      ),
    ),
  ],
  [
    'a web page that is fetched again because of too many requests',
    [
      ...turns(10, () =>
        turn(fetched('Request failed with status code 429: Too Many Requests', true)),
      ),
      turn(fetched('The API has three methods.')),
    ],
  ],
  [
    'a registry that answers 503 for a while',
    [
      ...turns(8, () =>
        turn(
          failed(
            'npm publish',
            'npm error 503 Service Unavailable - PUT https://registry.example/app',
          ),
        ),
      ),
      turn(bash('npm publish', '+ app@1.2.3')),
    ],
  ],
  [
    'a gateway that times out while a server restarts',
    [
      ...turns(6, () =>
        turn(
          failed(
            'curl -f https://app.example/',
            'curl: (22) The requested URL returned error: 502',
          ),
        ),
      ),
      turn(bash('curl -f https://app.example/', '<html>')),
    ],
  ],
  [
    'a build without any output that is read in the background by codex',
    turns(50, () =>
      turn(
        tool(
          'write_stdin',
          { session_id: 7, chars: '' },
          'Chunk ID: 12ab\nWall time: 10.0 seconds\nProcess running with session ID 7\nOriginal token count: 0\nOutput:\n',
        ),
      ),
    ),
  ],
  [
    'a build without any output that is read in the background by copilot',
    turns(50, () =>
      turn(tool('read_bash', { shellId: '7', delay: 30 }, '<shellId: 7 is still running>')),
    ),
  ],
  [
    'a terminal that an editor reads again and again',
    turns(40, () => turn(tool('get_terminal_output', { id: '3' }, 'webpack 5.1'))),
  ],
  [
    'a command whose status a tool reads',
    turns(40, () => turn(tool('command_status', { CommandId: '3' }, 'Status: RUNNING\nNo output'))),
  ],
  [
    'a training run that says how far it is',
    turns(50, (nth) => turn(bash('cat train.txt', `epoch ${Math.ceil(nth / 10)} of 6, eta 12m`))),
  ],
  [
    'a slow job, looked at by codex with the same command',
    turns(50, () => turn(codex.shell('./job 7', 'state: RUNNING'))),
  ],
  [
    'a slow job, looked at by gemini with the same command',
    turns(50, () => turn(gemini.shell('./job 7', 'Waiting for a runner...'))),
  ],
  [
    'a slow job, looked at by copilot with the same command',
    turns(50, () => turn(copilot.shell('./job 7', 'queued'))),
  ],
  [
    'a slow job, looked at by opencode with the same command',
    turns(50, () => turn(opencode.shell('./job 7', 'Build is not finished'))),
  ],
  [
    'a process that is looked for until it has ended',
    turns(30, () => turn(bash('ps aux | grep "[m]ake all"', 'me 4711 99.0 make all'))),
  ],
  [
    'a slow command that ends with three points',
    turns(30, () => turn(bash('./sync --show', 'Copying objects...'))),
  ],
];
