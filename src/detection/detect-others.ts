/** The checks and dependencies of projects in Go, Rust, Java, Ruby, PHP and other languages. */
import { tableAt } from '../toml/read-toml.ts';
import type { FolderListing } from './listing.ts';
import type { DetectedCheck, MissingDependencies, ProjectPart } from './project-part.ts';

export function detectGo(files: FolderListing): ProjectPart | undefined {
  const top = files.first('go.work', 'go.mod');
  if (top === undefined) return undefined;
  const [golangci] = files.matching(/^\.golangci\.(?:ya?ml|toml|json)$/);
  const hasTests = files.matching(/_test\.go$/).length > 0;
  const needs = files
    .matching(/(?:^|\/)go\.mod$/)
    .some((path) => /^\s*require\b/m.test(files.text(path)));
  return {
    language: 'go',
    manager: 'go',
    checks: [
      ...(hasTests ? [check('test', ['go', 'test', './...'], 'files that end in _test.go')] : []),
      golangci === undefined
        ? check('lint', ['go', 'vet', './...'], top)
        : check('lint', ['golangci-lint', 'run'], golangci),
    ],
    dependencies:
      !needs || files.contains('vendor')
        ? null
        : {
            folder: 'vendor',
            isIgnored: files.ignored.has('vendor'),
            // With a folder `vendor`, Go needs neither its cache nor the network.
            install: ['go', top === 'go.work' ? 'work' : 'mod', 'vendor'],
            inputs: [top, ...(files.has('go.sum') ? ['go.sum'] : [])],
            advice: null,
          },
  };
}

export function detectRust(files: FolderListing): ProjectPart | undefined {
  if (!files.has('Cargo.toml')) return undefined;
  const clippy = files.first('clippy.toml', '.clippy.toml');
  const needs = files.matching(/(?:^|\/)Cargo\.toml$/).some((path) => {
    const manifest = files.toml(path);
    return [
      tableAt(manifest, 'dependencies'),
      tableAt(manifest, 'dev-dependencies'),
      tableAt(manifest, 'workspace', 'dependencies'),
    ].some((table) => Object.keys(table).length > 0);
  });
  return {
    language: 'rust',
    manager: 'cargo',
    checks: [
      check('test', ['cargo', 'test'], 'Cargo.toml'),
      ...(clippy === undefined
        ? []
        : [check('lint', ['cargo', 'clippy', '--all-targets'], clippy)]),
    ],
    dependencies:
      needs && !files.contains('vendor')
        ? byHand(files, 'vendor', ['Cargo.lock', 'Cargo.toml'], 'cargo vendor')
        : null,
  };
}

export function detectJava(files: FolderListing): ProjectPart | undefined {
  if (files.has('pom.xml')) {
    const maven = files.has('mvnw') ? './mvnw' : 'mvn';
    return {
      language: 'java',
      manager: 'maven',
      checks: [check('test', [maven, '--batch-mode', '--offline', 'test'], 'pom.xml')],
      dependencies: byHand(
        files,
        '.m2',
        ['pom.xml'],
        'mvn -Dmaven.repo.local=.m2 dependency:go-offline',
      ),
    };
  }
  const build = files.first('build.gradle', 'build.gradle.kts');
  if (build === undefined) return undefined;
  const gradle = files.has('gradlew') ? './gradlew' : 'gradle';
  return {
    language: 'java',
    manager: 'gradle',
    checks: [check('test', [gradle, '--offline', 'test'], build)],
    dependencies: byHand(files, '.gradle', [build], 'gradle --gradle-user-home .gradle assemble'),
  };
}

export function detectRuby(files: FolderListing): ProjectPart | undefined {
  const gemfile = files.text('Gemfile');
  if (!files.has('Gemfile')) return undefined;
  const [spec] = files.matching(/^(?:\.rspec|spec\/.*_spec\.rb)$/);
  const [minitest] = files.matching(/^test\/.*_test\.rb$/);
  const test =
    spec !== undefined
      ? check('test', ['bundle', 'exec', 'rspec'], spec)
      : minitest !== undefined && files.has('bin/rails')
        ? check('test', ['bin/rails', 'test'], minitest)
        : minitest !== undefined || /\btask\b.*\btest\b|TestTask/.test(files.text('Rakefile'))
          ? check('test', ['bundle', 'exec', 'rake', 'test'], minitest ?? 'Rakefile')
          : undefined;
  const needs = /^\s*gem\s|^\s*gemspec\b/m.test(gemfile) && !files.contains('vendor/bundle');
  return {
    language: 'ruby',
    manager: 'bundler',
    checks: [
      ...(test === undefined ? [] : [test]),
      ...(files.has('.rubocop.yml')
        ? [check('lint', ['bundle', 'exec', 'rubocop'], '.rubocop.yml')]
        : []),
    ],
    dependencies: needs
      ? byHand(
          files,
          'vendor/bundle',
          ['Gemfile.lock', 'Gemfile'],
          'bundle config set --local path vendor/bundle && bundle install',
        )
      : null,
  };
}

export function detectPhp(files: FolderListing): ProjectPart | undefined {
  const manifest = files.json('composer.json');
  if (manifest === undefined) return undefined;
  const phpunit = files.first('phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml');
  const phpstan = files.first('phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon');
  const scripts = tableAt(manifest, 'scripts');
  const fromScript = (kind: DetectedCheck['kind'], name: string): readonly DetectedCheck[] =>
    Object.hasOwn(scripts, name)
      ? [check(kind, ['composer', 'run-script', name], `the script ${name} in composer.json`)]
      : [];
  const [test] = [
    ...fromScript('test', 'test'),
    ...(phpunit === undefined ? [] : [check('test', ['vendor/bin/phpunit'], phpunit)]),
  ];
  const [lint] = fromScript('lint', 'lint');
  const types =
    phpstan === undefined
      ? undefined
      : check('typecheck', ['vendor/bin/phpstan', 'analyse'], phpstan);
  const packages = ['require', 'require-dev']
    .flatMap((field) => Object.keys(tableAt(manifest, field)))
    .filter((name) => name.includes('/'));
  return {
    language: 'php',
    manager: 'composer',
    checks: [test, lint, types].flatMap((one) => one ?? []),
    dependencies:
      packages.length > 0 && !files.contains('vendor')
        ? byHand(files, 'vendor', ['composer.lock', 'composer.json'], 'composer install')
        : null,
  };
}

/** Tools whose project is recognized by one file, and whose dependencies are left to the user. */
const BY_FILE: readonly (readonly [file: RegExp, manager: string, command: readonly string[]])[] = [
  [/^deno\.jsonc?$/, 'deno', ['deno', 'test']],
  [/^mix\.exs$/, 'mix', ['mix', 'test']],
  [/^[^/]+\.(?:slnx?|csproj|fsproj)$/, 'dotnet', ['dotnet', 'test']],
  [/^pubspec\.yaml$/, 'dart', ['dart', 'test']],
  [/^Package\.swift$/, 'swift', ['swift', 'test']],
  [/^build\.zig$/, 'zig', ['zig', 'build', 'test']],
];

export function detectByFile(files: FolderListing): ProjectPart | undefined {
  for (const [pattern, manager, command] of BY_FILE) {
    const [file] = files.matching(pattern);
    if (file !== undefined)
      return {
        language: 'other',
        manager,
        checks: [check('test', command, file)],
        dependencies: null,
      };
  }
  return undefined;
}

function check(
  kind: DetectedCheck['kind'],
  command: readonly string[],
  why: string,
): DetectedCheck {
  return { kind, command, why };
}

/** Supervisor does not know the hosts of this registry, so the user has to name them. */
function byHand(
  files: FolderListing,
  folder: string,
  inputs: readonly string[],
  line: string,
): MissingDependencies {
  return {
    folder,
    isIgnored: files.ignored.has(folder),
    install: null,
    inputs: [files.first(...inputs) ?? inputs[0] ?? ''],
    advice: line,
  };
}
