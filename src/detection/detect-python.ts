/** The checks and dependencies of a Python project: pip, uv, poetry and pipenv, in a virtual environment. */
import { tableAt } from '../toml/read-toml.ts';
import type { FolderListing } from './listing.ts';
import { isPythonTest } from './listing.ts';
import type { DetectedCheck, MissingDependencies, ProjectPart } from './project-part.ts';

const MARKERS = [
  'pyproject.toml',
  'requirements.txt',
  'setup.py',
  'setup.cfg',
  'Pipfile',
  'uv.lock',
  'poetry.lock',
  'tox.ini',
  'pytest.ini',
];
const REQUIREMENTS =
  /^(?:requirements(?:[-_.](?:dev|test|tests|ci))?\.txt|(?:dev|test)-requirements\.txt|requirements\/(?:base|main|dev|test|tests|ci)\.txt)$/;
/** The names that projects give to the extra dependencies of their tests. */
const TEST_EXTRAS = ['dev', 'test', 'tests', 'testing', 'lint'];

type Manager = 'uv' | 'poetry' | 'pipenv' | 'pip';

export function detectPython(files: FolderListing): ProjectPart | undefined {
  const hasTests = files.matching(/\.py$/).some(isPythonTest);
  if (!files.has(...MARKERS) && files.matching(REQUIREMENTS).length === 0 && !hasTests)
    return undefined;
  const manager = findManager(files);
  const declared = declaredText(files);
  const tools = findTools(files, declared);
  const usable = tools.filter(({ module }) => manager === 'pip' || isBuiltIn(module, declared));
  const dependencies = findDependencies(files, manager, declared, usable);
  // Without a virtual environment of its own, the project uses the Python of the machine.
  const python = dependencies === null ? 'python3' : `${dependencies.folder}/bin/python`;
  return {
    language: 'python',
    manager,
    checks: usable.map(({ kind, module, args, why }) => ({
      kind,
      command: [python, '-m', module, ...args],
      why,
    })),
    dependencies,
  };
}

function findManager(files: FolderListing): Manager {
  const tools = tableAt(files.toml('pyproject.toml'), 'tool');
  if (files.has('uv.lock')) return 'uv';
  if (files.has('poetry.lock') || Object.hasOwn(tools, 'poetry')) return 'poetry';
  if (files.has('Pipfile')) return 'pipenv';
  return Object.hasOwn(tools, 'uv') ? 'uv' : 'pip';
}

/** Everything that declares dependencies, as one text. */
function declaredText(files: FolderListing): string {
  const names = [
    'pyproject.toml',
    'setup.py',
    'setup.cfg',
    'Pipfile',
    ...files.matching(/^requirements/),
    ...files.matching(/^(?:dev|test)-requirements\.txt$/),
  ];
  return names.map((name) => files.text(name)).join('\n');
}

/** Whether a dependency is declared, with or without quotes, extras and versions. */
function isDeclared(name: string, declared: string): boolean {
  return new RegExp(`(?:^|["'\\s\\[])${name}(?![\\w-])`, 'im').test(declared);
}

function isBuiltIn(module: string, declared: string): boolean {
  return module === 'unittest' || isDeclared(module, declared);
}

type PythonTool = {
  readonly kind: DetectedCheck['kind'];
  readonly module: string;
  readonly args: readonly string[];
  readonly why: string;
};

function findTools(files: FolderListing, declared: string): readonly PythonTool[] {
  return [findTestRunner(files, declared), findLinter(files), findTypeChecker(files)].flatMap(
    (tool) => tool ?? [],
  );
}

function pytest(why: string): PythonTool {
  return { kind: 'test', module: 'pytest', args: [], why };
}

function findTestRunner(files: FolderListing, declared: string): PythonTool | undefined {
  const tools = tableAt(files.toml('pyproject.toml'), 'tool');
  if (files.has('pytest.ini')) return pytest('pytest.ini');
  if (Object.hasOwn(tools, 'pytest')) return pytest('tool.pytest in pyproject.toml');
  if (/^\[(?:tool:)?pytest\]|^\s*(?:commands\s*=.*)?\bpytest\b/m.test(files.text('tox.ini')))
    return pytest('tox.ini');
  if (/^\[tool:pytest\]/m.test(files.text('setup.cfg'))) return pytest('setup.cfg');
  const tests = [...files.paths].filter(isPythonTest);
  const [conftest] = files.matching(/(?:^|\/)conftest\.py$/);
  if (conftest !== undefined) return pytest(conftest);
  const [example] = tests;
  if (example === undefined) return undefined;
  if (isDeclared('pytest', declared)) return pytest(`${example}, and pytest is a dependency`);
  const texts = tests.map((path) => files.text(path));
  const usesPytest = texts.some((text) => imports(text, 'pytest'));
  const usesUnittest = texts.some((text) => imports(text, 'unittest'));
  if (usesPytest || !usesUnittest) return pytest(example);
  const [top] = example.split('/');
  const args =
    top === undefined || top === example ? ['discover'] : ['discover', '-s', top, '-t', '.'];
  return { kind: 'test', module: 'unittest', args, why: `${example}, which uses unittest` };
}

/** `import os, unittest as u` imports it too. */
function imports(text: string, module: string): boolean {
  const others = String.raw`(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*`;
  return new RegExp(String.raw`^[ \t]*(?:import[ \t]+${others}|from[ \t]+)${module}\b`, 'm').test(
    text,
  );
}

function findLinter(files: FolderListing): PythonTool | undefined {
  const tools = tableAt(files.toml('pyproject.toml'), 'tool');
  const ruff =
    files.first('ruff.toml', '.ruff.toml') ??
    (Object.hasOwn(tools, 'ruff') ? 'tool.ruff in pyproject.toml' : undefined);
  if (ruff !== undefined) return { kind: 'lint', module: 'ruff', args: ['check', '.'], why: ruff };
  const flake8 = /^\[flake8\]/m;
  const named = ['setup.cfg', 'tox.ini'].find((path) => flake8.test(files.text(path)));
  const config = files.first('.flake8') ?? named;
  return config === undefined
    ? undefined
    : { kind: 'lint', module: 'flake8', args: [], why: config };
}

function findTypeChecker(files: FolderListing): PythonTool | undefined {
  const tools = tableAt(files.toml('pyproject.toml'), 'tool');
  const mypy =
    files.first('mypy.ini', '.mypy.ini') ??
    (Object.hasOwn(tools, 'mypy') ? 'tool.mypy in pyproject.toml' : undefined) ??
    (/^\[mypy\]/m.test(files.text('setup.cfg')) ? 'setup.cfg' : undefined);
  if (mypy !== undefined) {
    const knowsItsFiles = ['files', 'packages', 'modules'].some((key) =>
      Object.hasOwn(tableAt(tools, 'mypy'), key),
    );
    return { kind: 'typecheck', module: 'mypy', args: knowsItsFiles ? [] : ['.'], why: mypy };
  }
  const pyright =
    files.first('pyrightconfig.json') ??
    (Object.hasOwn(tools, 'pyright') ? 'tool.pyright in pyproject.toml' : undefined);
  return pyright === undefined
    ? undefined
    : { kind: 'typecheck', module: 'pyright', args: [], why: pyright };
}

function findDependencies(
  files: FolderListing,
  manager: Manager,
  declared: string,
  tools: readonly PythonTool[],
): MissingDependencies | null {
  const folder = ['.venv', 'venv', 'env'].find((name) => files.ignored.has(name)) ?? '.venv';
  if (files.contains(folder)) return null;
  const { install, inputs } = installPlan(files, manager, folder, declared, tools);
  if (install === null) return null;
  // These managers choose the name themselves.
  const made = manager === 'pip' ? folder : '.venv';
  return { folder: made, isIgnored: files.ignored.has(folder), install, inputs, advice: null };
}

type InstallPlan = {
  readonly install: readonly string[] | null;
  readonly inputs: readonly string[];
};

function installPlan(
  files: FolderListing,
  manager: Manager,
  folder: string,
  declared: string,
  tools: readonly PythonTool[],
): InstallPlan {
  const lock = (name: string): readonly string[] => [files.first(name) ?? 'pyproject.toml'];
  switch (manager) {
    case 'uv': {
      const hasExtras =
        Object.keys(tableAt(files.toml('pyproject.toml'), 'project', 'optional-dependencies'))
          .length > 0;
      // A Python that uv downloads would lie in a home that no copy of the project has.
      const options = [
        '--python-preference',
        'only-system',
        ...(hasExtras ? ['--all-extras'] : []),
      ];
      const frozen = files.has('uv.lock') ? ['--frozen'] : [];
      return { install: ['uv', 'sync', ...frozen, ...options], inputs: lock('uv.lock') };
    }
    case 'poetry':
      return {
        install: ['sh', '-c', 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction'],
        inputs: lock('poetry.lock'),
      };
    case 'pipenv':
      return {
        install: files.has('Pipfile.lock')
          ? ['sh', '-c', 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev']
          : ['sh', '-c', 'PIPENV_VENV_IN_PROJECT=1 pipenv install --dev'],
        inputs: [files.first('Pipfile.lock') ?? 'Pipfile'],
      };
    case 'pip':
      return pipPlan(files, folder, declared, tools);
  }
}

function pipPlan(
  files: FolderListing,
  folder: string,
  declared: string,
  tools: readonly PythonTool[],
): InstallPlan {
  const requirements = files
    .matching(REQUIREMENTS)
    .filter((path) => files.text(path).trim() !== '');
  const project = files.toml('pyproject.toml');
  const isPackage =
    files.has('setup.py') ||
    Object.hasOwn(project, 'build-system') ||
    Object.hasOwn(project, 'project');
  const extras = Object.keys(tableAt(project, 'project', 'optional-dependencies')).filter((name) =>
    TEST_EXTRAS.includes(name),
  );
  const itself = extras.length === 0 ? '.' : `'.[${extras.join(',')}]'`;
  const undeclared = tools
    .map(({ module }) => module)
    .filter((module) => module !== 'unittest' && !isDeclared(module, declared));
  const words = [
    ...requirements.flatMap((path) => ['-r', path]),
    ...(isPackage ? ['-e', itself] : []),
    ...undeclared,
  ];
  if (words.length === 0) return { install: null, inputs: [] };
  const line = `python3 -m venv ${folder} && ${folder}/bin/pip install ${words.join(' ')}`;
  const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg'].filter((path) => files.has(path));
  return {
    install: ['sh', '-c', line],
    inputs: [...requirements, ...(isPackage ? manifests : [])],
  };
}
