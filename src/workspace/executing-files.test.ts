import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { executingFile } from './executing-files.ts';
import { executingPart, hasExecutingPart } from './executing-parts.ts';

describe('H6: what runs by itself is told by its path', () => {
  const cases: [needs: 'settings' | 'executing' | 'nothing', ...paths: string[]][] = [
    [
      'settings',
      '.supervisor/config.yaml',
      '.supervisor',
      '.Supervisor/roles/x.md',
      'web/.supervisor/config.yaml',
      '.super\u200cvisor/config.yaml',
      '.supervisor./config.yaml',
      '.supervisor\\config.yaml',
      '.\uff53upervisor/config.yaml',
    ],
    // Editors.
    [
      'executing',
      '.vscode/tasks.json',
      '.VSCode/launch.json',
      'web/.vscode/settings.json',
      '.vscode',
      '.idea/runConfigurations/x.xml',
      '.run/x.run.xml',
      '.devcontainer/devcontainer.json',
      '.devcontainer.json',
      'app.code-workspace',
      '.exrc',
      '.nvim.lua',
      '.lazy.lua',
      '.helix/languages.toml',
      '.ycm_extra_conf.py',
      '.vim/coc-settings.json',
      '.openhands/setup.sh',
      '.Rprofile',
      '.ghci',
      '.iex.exs',
      '.dir-locals.el',
      '.zed/tasks.json',
      'VSCODE~1/tasks.json',
    ],
    // Agents.
    [
      'executing',
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.mcp.json',
      '.codex/config.toml',
      '.gemini/settings.json',
      '.github/copilot-instructions.md',
      'opencode.json',
      'OpenCode.jsonc',
      '.cursor/mcp.json',
      'AGENTS.md',
      'docs/CLAUDE.md',
      '.clinerules',
    ],
    // Shells and version managers.
    [
      'executing',
      '.envrc',
      'sub/.envrc',
      '.ENVRC',
      '.envrc ',
      '.env',
      '.env.local',
      '.tool-versions',
      'mise.toml',
      '.config/mise/config.toml',
      '.bashrc',
      'flake.nix',
      '.gdbinit',
    ],
    // Git and its like.
    [
      'executing',
      '.hg/hgrc',
      '.jj/repo/config.toml',
      '.husky/pre-commit',
      '.husky/_/husky.sh',
      '.githooks/pre-push',
      'tools/hooks/pre-commit',
      'lefthook.yml',
      '.lefthook.toml',
      'lefthook-local.yml',
      '.pre-commit-config.yaml',
      '.gitattributes',
      'sub/.gitattributes',
      '.gitmodules',
      '.lintstagedrc.json',
    ],
    // CI.
    [
      'executing',
      '.github/workflows/ci.yml',
      '.GitHub/Workflows/ci.yml',
      '.github/actions/x/action.yml',
      '.gitlab-ci.yml',
      '.circleci/config.yml',
      'Jenkinsfile',
      'azure-pipelines.yml',
      '.woodpecker.yml',
      '.forgejo/workflows/a.yaml',
      'bitbucket-pipelines.yml',
    ],
    // Package managers, builds and tasks.
    [
      'executing',
      'evil.dist-info/entry_points.txt',
      'src/evil.egg-info/entry_points.txt',
      'tools/bazel',
      '.bazelrc',
      'gulpfile.mjs',
      'gulpfile.ts',
      'Gulpfile.babel.js',
      'Gruntfile.cjs',
      'Gruntfile.js',
      'Rakefile.rb',
      'Jakefile',
      'tasks.py',
      'tox.toml',
      '.npmrc',
      'packages/a/.npmrc',
      '.yarnrc.yml',
      '.yarn/releases/yarn.cjs',
      '.pnpmfile.cjs',
      'pnpm-workspace.yaml',
      '.cargo/config.toml',
      'build.rs',
      'native/build.rs',
      'setup.py',
      'evil.pth',
      'sitecustomize.py',
      'gradlew',
      'gradle/wrapper/gradle-wrapper.jar',
      'build.gradle.kts',
      '.mvn/jvm.config',
      'Makefile',
      'rules.mk',
      'justfile',
      'Taskfile.yml',
      'node_modules/.bin/tsc',
      'node_modules',
      'web/node_modules/x/index.js',
      '.venv/bin/python',
    ],
    [
      'nothing',
      'src/index.ts',
      'README.md',
      'docs/vscode.md',
      'src/claude/settings.ts',
      '.env.example',
      '.gitignore',
      'test/a.test.ts',
      'src/hooks/use-hook.ts',
      'lib/makefile.ts',
      'github/workflows.md',
      '.editorconfig',
      'tsconfig.json',
      'supervisor/config.yaml',
      'package.json',
      'pyproject.toml',
    ],
  ];
  for (const [needs, ...paths] of cases)
    for (const path of paths)
      test(`${JSON.stringify(path)} needs ${needs}`, () =>
        assert.equal(executingFile(path)?.needs ?? 'nothing', needs));
});

describe('of a manifest only what is started counts', () => {
  const json = JSON.stringify;
  const cases: [why: string, path: string, was: string, is: string, isSame: boolean][] = [
    [
      'a dependency',
      'package.json',
      json({ name: 'a' }),
      json({ name: 'a', dependencies: {} }),
      true,
    ],
    ['a script', 'package.json', json({}), json({ scripts: { postinstall: 'x' } }), false],
    ['a hook', 'web/Package.json', json({}), json({ husky: { hooks: {} } }), false],
    ['a package manager', 'package.json', json({}), json({ packageManager: 'yarn@9' }), false],
    [
      'scripts in another order of keys',
      'package.json',
      json({ name: 'a', scripts: {} }),
      json({ scripts: {}, name: 'a' }),
      true,
    ],
    ['a Python dependency', 'pyproject.toml', '[project]\na = 1\n', '[project]\na = 2\n', true],
    [
      'a build backend',
      'pyproject.toml',
      '[project]\n',
      '[project]\n[build-system]\nbackend-path = ["."]\n',
      false,
    ],
    ['a custom build script', 'Cargo.toml', '[package]\n', '[package]\nbuild = "x.rs"\n', false],
    ['a crate', 'Cargo.toml', '[dependencies]\n', '[dependencies]\nserde = "1"\n', true],
    [
      'composer scripts',
      'composer.json',
      json({}),
      json({ scripts: { 'post-install-cmd': 'x' } }),
      false,
    ],
  ];
  for (const [why, path, was, is, isSame] of cases)
    test(`${why}: ${isSame ? 'does not count' : 'counts'}`, () =>
      assert.equal(executingPart(path, was) === executingPart(path, is), isSame));

  test('a file called like a property of every object is no manifest', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'a/hasOwnProperty']) {
      assert.equal(hasExecutingPart(name), false);
      assert.equal(executingPart(name, ''), undefined);
    }
  });

  test('one that is broken can not be read', () =>
    assert.equal(executingPart('package.json', '{'), undefined));
});
