/** Checks the form of every commit message since the rules were made. CONTRIBUTING.md has the rules. */
import { spawnSync } from 'node:child_process';
import { root } from './setup.mjs';

const SUBJECT_CHARS_MAX = 72;
/** Older messages have other forms. */
const RULES_SINCE = 'cfdf3e2788b7a8003bb8c029de28c4ce7b06059a';
const UNFINISHED = /^(wip|fixup|squash)([^a-z]|$)/i;

function problemsOf({ parents, subject, body }) {
  return [
    [parents.length < 2, 'it is a merge; rebase your branch instead'],
    [
      subject.length <= SUBJECT_CHARS_MAX,
      `its subject has ${subject.length} characters, the most is ${SUBJECT_CHARS_MAX}`,
    ],
    [/^[A-Z]/.test(subject), 'its subject does not begin with a capital letter'],
    [!subject.endsWith('.'), 'its subject ends with a full stop'],
    [!UNFINISHED.test(subject), 'it is unfinished work'],
    [body.trim() !== '', 'it has no body that says why'],
  ].flatMap(([holds, problem]) => (holds ? [] : [problem]));
}

function commitsSince(commit) {
  const format = '--format=%H%x1f%P%x1f%s%x1f%b%x1e';
  const args = ['log', format, `${commit}..HEAD`];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) return undefined;
  return stdout
    .split('\u001e')
    .map((record) => record.trimStart().split('\u001f'))
    .filter((fields) => fields.length === 4)
    .map(([hash, parents, subject, body]) => ({
      hash,
      parents: parents.split(' '),
      subject,
      body,
    }));
}

const commits = commitsSince(RULES_SINCE);
if (commits === undefined)
  console.log('Not checked: the history here is too short, or there is none.');
else {
  const found = commits.flatMap((commit) =>
    problemsOf(commit).map(
      (problem) => `✖ ${commit.hash.slice(0, 12)}: ${problem}: ${commit.subject}`,
    ),
  );
  console.log([...found, `${commits.length} commit messages, ${found.length} problems`].join('\n'));
  process.exitCode = found.length === 0 ? 0 : 1;
}
