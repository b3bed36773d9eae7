/** Reads the JUnit XML that most test runners can write. */
import type { ReportedTests } from './reported-tests.ts';
import { TestCollector } from './reported-tests.ts';
import { readXml } from './xml-events.ts';

type OpenCase = {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: string | undefined;
  failure: string | undefined;
  isSkipped: boolean;
  details: string;
};

const DETAILS_CHARS_MAX = 20_000;

/** Undefined: it has no suite of tests. */
export function readJunit(text: string): ReportedTests | undefined {
  const tests = new TestCollector();
  const suites: (string | undefined)[] = [];
  let isJunit = false;
  let test: OpenCase | undefined;
  let isInside = false;
  for (const event of readXml(text)) {
    if (event.kind === 'text') {
      if (isInside && test !== undefined && test.details.length < DETAILS_CHARS_MAX)
        test.details += event.text.slice(0, DETAILS_CHARS_MAX);
      continue;
    }
    const { name } = event;
    if (event.kind === 'open') {
      const { attributes } = event;
      if (name === 'testsuites') isJunit = true;
      if (name === 'testsuite') {
        isJunit = true;
        suites.push(attributes.get('file') ?? suites.at(-1));
      }
      if (name === 'testcase' && isJunit) test = openCase(attributes, suites.at(-1));
      if (test !== undefined && name === 'skipped') test.isSkipped = true;
      if (test !== undefined && (name === 'failure' || name === 'error')) {
        test.failure ??= attributes.get('message') ?? attributes.get('type') ?? '';
        isInside = true;
      }
      continue;
    }
    if (name === 'failure' || name === 'error') isInside = false;
    if (name === 'testsuite') suites.pop();
    if (name === 'testcase' && test !== undefined) {
      closeCase(tests, test);
      test = undefined;
    }
  }
  if (!isJunit) return undefined;
  return tests.result(suites.length > 0 || test !== undefined ? 'it ends early' : undefined);
}

function openCase(
  attributes: ReadonlyMap<string, string>,
  suiteFile: string | undefined,
): OpenCase {
  const [group = '', name = ''] = [attributes.get('classname'), attributes.get('name')];
  const isRepeated = group === '' || name.startsWith(group);
  return {
    name: isRepeated ? name : `${group} › ${name}`,
    file: attributes.get('file') ?? suiteFile,
    line: attributes.get('line') ?? attributes.get('lineno'),
    failure: undefined,
    isSkipped: false,
    details: '',
  };
}

function closeCase(
  tests: TestCollector,
  { name, file, line, failure, isSkipped, details }: OpenCase,
): void {
  if (failure === undefined) {
    tests.add(isSkipped ? 'skipped' : 'passed');
    return;
  }
  tests.add('failed');
  tests.addFailure({ name, file, line, message: failure, details });
}
