import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTestFile, isTestHelper } from './test-files.ts';

describe('a product file whose name contains a test word is not a test', () => {
  const paths = [
    'src/features/cart/cartSlice.ts',
    'src/features/steps/stepsSlice.ts',
    'features/cart/cart.ts',
    'lib/features/home/home_page.dart',
    'src/specs/openapi.ts',
    'src/openapi-spec.ts',
    'src/t/index.ts',
    'src/locales/messages.it.ts',
    'lib/l10n/app_localizations_it.dart',
    'models/business_unit.py',
    'models/job_spec.py',
    'src/time-unit.ts',
    'src/work-bench.ts',
    'src/user_stories.ts',
    'src/ab-test.ts',
    'src/geometry/hit-test.ts',
    'app/models/test_result.rb',
    'src/latest.ts',
    'docs/spec/api.yaml',
    'src/testimonials/list.ts',
    'src/fixture-manager.ts',
    'src/utils/helpers.ts',
    'src/support/tickets.ts',
    'docs/testing.md',
  ];
  for (const path of paths) test(path, () => assert.equal(isTestFile(path), false));
});

describe('a file that a runner finds by its name or folder is a test', () => {
  const paths = [
    'src/sum.test.ts',
    'src/sum.spec.js',
    'src/sum-test.js',
    'src/sum-spec.js',
    'test-sum.mjs',
    'test.js',
    'src/sum.bench.ts',
    'src/button.stories.tsx',
    'cart.cy.ts',
    'app.e2e-spec.ts',
    'pkg/sum_test.go',
    'app/test_sum.py',
    'app/sum_test.py',
    'spec/models/sum_spec.rb',
    'spec/spec_helper.rb',
    'test/test_helper.rb',
    'test/sum_test.exs',
    'src/SumTest.java',
    'src/SumIT.java',
    'src/SumSpec.scala',
    't/basic.t',
    'features/cart.feature',
    'features/steps/cart.py',
    'features/environment.py',
    'features/step_definitions/cart.rb',
    'web/features/support/world.js',
    'tests/fixtures/a.json',
    'spec/fixtures/a.json',
    'internal/testutil/db.go',
    'src/test-utils/render.tsx',
    'pkg/testing/server.go',
    'test_helpers.py',
    'src/testUtils.ts',
    'base/strings_unittest.cc',
    'lib/__mocks__/fs.js',
    'src/__snapshots__/a.test.ts.snap',
  ];
  for (const path of paths) test(path, () => assert.equal(isTestFile(path), true));
});

test('a test helper is not a test that a runner starts', () => {
  const cases: [path: string, isHelper: boolean][] = [
    ['internal/testutil/db.go', true],
    ['fixtures/a.json', true],
    ['test_helpers.py', true],
    ['tests/helpers/a.py', false],
    ['src/sum.test.ts', false],
    ['src/sum.ts', false],
  ];
  assert.deepEqual(
    cases.map(([path]) => [path, isTestHelper(path)]),
    cases,
  );
});
