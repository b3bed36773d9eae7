/** What an agent looks at while something else is running, and what it reads there. */
type Wait = readonly [command: string, waiting: string, done: string];

export const POLLS: readonly [Wait, ...Wait[]] = [
  ['gh run view 7', 'status: in_progress', 'completed success'],
  ['gh pr checks 12', 'lint  pass\nbuild  pending  0  https://x', 'build  pass'],
  ['kubectl get pod web-1', 'web-1  0/1  ContainerCreating  0  12s', 'web-1  1/1  Running'],
  ['curl -s localhost:8080/health', '{"status":"starting"}', '{"status":"up"}'],
  ['curl -s https://ci.example/jobs/7', '{"id":7,"state":"running"}', '{"id":7,"state":"done"}'],
  ['docker inspect -f "{{.State.Health.Status}}" db', 'starting', 'healthy'],
  ['systemctl is-active web', 'activating', 'active'],
  ['aws cloudformation describe-stacks', '"CREATE_IN_PROGRESS"', '"CREATE_COMPLETE"'],
  ['squeue -j 7', '7 main train me R 0:12 1 node1', ''],
  ['cat job.status', 'RUNNING', 'DONE'],
  ['./status.sh', 'Job 7: processing', 'Job 7: finished'],
  ['terraform show -json state', 'Still creating...', 'Created'],
  ['az deployment show -n web', '"provisioningState": "Accepted"', '"Succeeded"'],
  ['sleep 10; ./status.sh', 'phase two', 'ready'],
  ['./wait-for-it.sh db:5432 -t 5 || true', 'timeout occurred', 'up'],
  ['ls build/out.bin 2>/dev/null || echo waiting', 'waiting', 'build/out.bin'],
  ['jobs', '[1]+  Running   make all &', ''],
  ['pgrep -f make', '4711', ''],
  ['cat progress.txt', 'Epoch 3/10', 'Epoch 10/10'],
  ['curl -s localhost:9000/progress', '{"progress":0.4,"done":false}', '{"done":true}'],
  ['buildkite-agent status', 'scheduled', 'passed'],
  ['npm run deploy:status', 'Deploying…', 'Deployed'],
  ['tail -1 build.log', 'cc main.c', 'Build finished.'],
  ['tail -3 /var/log/app.out', 'compiling', 'ready'],
  ['cat state.json', '{"phase":"building","ready":false}', '{"phase":"built","ready":true}'],
];

/** The command fails until what it waits for is there. */
export const FAILING_POLLS: readonly [readonly [string, string], ...(readonly [string, string])[]] =
  [
    ['sleep 5; curl -sf localhost:3000', ''],
    ['until curl -sf localhost:3000; do sleep 1; done', 'Connection refused'],
    ['./check-job.sh 7', 'Job 7 is still running'],
    ['timeout 5 tail -f build.log', 'compiling'],
    ['gh pr checks 12', 'build  pending  0'],
    ['systemctl is-active web', 'activating'],
    ['pg_isready -h db', 'db:5432 - no response'],
    [
      'kubectl wait --for=condition=ready pod/web --timeout=5s',
      'error: timed out waiting for the condition on pods/web',
    ],
    ['docker compose exec db pg_isready', '/var/run/postgresql:5432 - rejecting connections'],
    ['./deploy-status', 'Deployment in progress (40%)'],
  ];

/** Tools that read a command in the background. */
export const WAIT_TOOLS: readonly [string, ...string[]] = [
  'BashOutput',
  'read_bash',
  'write_stdin',
];
