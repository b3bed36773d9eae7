import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WireName } from '../wires/wire.ts';
import { screenRequest } from './screen-request.ts';

const NONE = { allowed: new Set<string>(), capped: false };
const CAPPED = { allowed: new Set<string>(), capped: true };

function removedOrCode(wire: WireName, body: object, terms = NONE): unknown {
  const screened = screenRequest(wire, body as Record<string, unknown>, terms);
  return screened.kind === 'refused' ? screened.code : screened.removed;
}

const f = { type: 'function', name: 'f' };
const anthropicUser = (block: object): object => ({
  messages: [{ role: 'user', content: [block] }],
});
const responsesUser = (part: object): object => ({ input: [{ role: 'user', content: [part] }] });
const chatUser = (part: object): object => ({ messages: [{ role: 'user', content: [part] }] });
const geminiUser = (part: object): object => ({ contents: [{ role: 'user', parts: [part] }] });
const SITE = 'https://example.org/x';

describe('M1: tools that run at the provider are removed', () => {
  const own = { name: 'Bash', input_schema: {} };
  const cases: [why: string, wire: WireName, body: object, removed: string[]][] = [
    [
      'search',
      'anthropic',
      { tools: [own, { type: 'web_search_20250305' }] },
      ['web_search_20250305'],
    ],
    [
      'a fetch',
      'anthropic',
      { tools: [own, { type: 'web_fetch_20260101' }] },
      ['web_fetch_20260101'],
    ],
    [
      'code',
      'anthropic',
      { tools: [own, { type: 'code_execution_20250825' }] },
      ['code_execution_20250825'],
    ],
    [
      'an unknown tool',
      'anthropic',
      { tools: [own, { type: 'advisor_20260301' }] },
      ['advisor_20260301'],
    ],
    ['MCP servers', 'anthropic', { tools: [own], mcp_servers: [{ url: SITE }] }, ['mcp_servers']],
    ['a container', 'anthropic', { tools: [own], container: { skills: [] } }, ['container']],
    ['search', 'openai-responses', { tools: [f, { type: 'web_search' }] }, ['web_search']],
    [
      'an older search',
      'openai-responses',
      { tools: [f, { type: 'web_search_preview_2025_03_11' }] },
      ['web_search_preview_2025_03_11'],
    ],
    ['MCP', 'openai-responses', { tools: [f, { type: 'mcp', server_url: SITE }] }, ['mcp']],
    ['file search', 'openai-responses', { tools: [f, { type: 'file_search' }] }, ['file_search']],
    [
      'code',
      'openai-responses',
      { tools: [f, { type: 'code_interpreter' }] },
      ['code_interpreter'],
    ],
    [
      'a hosted shell',
      'openai-responses',
      { tools: [f, { type: 'shell', environment: { type: 'container_auto' } }] },
      ['shell'],
    ],
    [
      'images',
      'openai-responses',
      { tools: [f, { type: 'image_generation' }] },
      ['image_generation'],
    ],
    [
      'a tool in a group',
      'openai-responses',
      { tools: [f, { type: 'namespace', name: 'g', tools: [f, { type: 'mcp' }] }] },
      ['mcp'],
    ],
    [
      'a tool in the conversation',
      'openai-responses',
      { input: [{ type: 'additional_tools', tools: [f, { type: 'web_search' }] }] },
      ['web_search'],
    ],
    [
      'search options',
      'openai-chat',
      { messages: [], web_search_options: {} },
      ['web_search_options'],
    ],
    ['plugins', 'openai-chat', { messages: [], plugins: [{ id: 'web' }] }, ['plugins']],
    [
      'search',
      'gemini',
      { tools: [{ functionDeclarations: [], googleSearch: {} }] },
      ['googleSearch'],
    ],
    [
      'search in snake_case',
      'gemini',
      { tools: [{ function_declarations: [] }, { google_search: {} }] },
      ['googleSearch'],
    ],
    [
      'addresses',
      'gemini',
      { tools: [{ functionDeclarations: [] }, { urlContext: {} }] },
      ['urlContext'],
    ],
  ];
  for (const [why, wire, body, removed] of cases)
    test(`${wire}: ${why}`, () => assert.deepEqual(removedOrCode(wire, body), removed));

  test('and tools that the agent runs itself stay', () => {
    const tools = [
      own,
      { type: 'bash_20250124' },
      { type: 'text_editor_20250728' },
      { type: 'memory_20250818' },
      { type: 'custom', name: 'x' },
    ];
    assert.deepEqual(removedOrCode('anthropic', { tools }), []);
    const theirs = [
      f,
      { type: 'custom' },
      { type: 'local_shell' },
      { type: 'shell', environment: { type: 'local' } },
      { type: 'apply_patch' },
      { type: 'tool_search' },
    ];
    assert.deepEqual(removedOrCode('openai-responses', { tools: theirs }), []);
  });

  test('with a choice of a removed tool', () => {
    const screened = screenRequest(
      'openai-responses',
      { tools: [f, { type: 'web_search' }], tool_choice: { type: 'web_search' } },
      NONE,
    );
    assert.deepEqual(screened.kind === 'passed' && screened.body, { tools: [f] });
  });

  test('but a request with no other tool is refused, because its answer would be invented', () => {
    assert.equal(
      removedOrCode('anthropic', { tools: [{ type: 'web_search_20250305' }] }),
      'server_tool_refused',
    );
    assert.equal(removedOrCode('gemini', { tools: [{ googleSearch: {} }] }), 'server_tool_refused');
    assert.equal(
      removedOrCode('openai-responses', { tools: [{ type: 'mcp' }] }),
      'server_tool_refused',
    );
  });

  test('unless a setting allows them', () => {
    const terms = { allowed: new Set(['web_search', 'urls']), capped: false };
    assert.deepEqual(
      removedOrCode('anthropic', { tools: [{ type: 'web_search_20250305' }] }, terms),
      [],
    );
    assert.deepEqual(removedOrCode('gemini', { tools: [{ googleSearch: {} }] }, terms), []);
    assert.deepEqual(
      removedOrCode('openai-responses', { tools: [{ type: 'web_search' }] }, terms),
      [],
    );
    assert.deepEqual(
      removedOrCode(
        'openai-responses',
        responsesUser({ type: 'input_image', image_url: SITE }),
        terms,
      ),
      [],
    );
  });
});

describe('tools in an unusual place or shape are screened too', () => {
  const items: [type: string][] = [['additional_tools'], ['tool_search_output'], ['new_item']];
  for (const [type] of items)
    test(`in the conversation, in an item ${type}`, () => {
      const input = [{ type, tools: [f, { type: 'mcp', server_url: SITE }] }];
      const screened = screenRequest('openai-responses', { input }, NONE);
      assert.ok(screened.kind === 'passed');
      assert.deepEqual(screened.body, { input: [{ type, tools: [f] }] });
      assert.deepEqual(screened.removed, ['mcp']);
    });

  test('in a single item instead of a list, or with a single tool', () => {
    const tools = { type: 'mcp', server_url: SITE };
    const alone = { input: { type: 'additional_tools', tools: [f, tools] } };
    assert.deepEqual(removedOrCode('openai-responses', alone), ['mcp']);
    const screened = screenRequest('openai-responses', { input: [{ type: 'x', tools }] }, NONE);
    assert.deepEqual(screened.kind === 'passed' && screened.body, {
      input: [{ type: 'x', tools: [] }],
    });
  });

  test('an allowed one in the conversation counts as a provider tool', () => {
    const input = [{ type: 'tool_search_output', tools: [{ type: 'web_search' }] }];
    const terms = { allowed: new Set(['web_search']), capped: true };
    const screened = screenRequest('openai-responses', { input }, terms);
    assert.ok(screened.kind === 'passed' && screened.usesServerTools);
  });

  test('gemini: a single object becomes a list of one, in the forwarded request too', () => {
    assert.equal(removedOrCode('gemini', { tools: { googleSearch: {} } }), 'server_tool_refused');
    assert.equal(removedOrCode('gemini', { tools: { google_search: {} } }), 'server_tool_refused');
    const body = {
      contents: { role: 'user', parts: { inline_data: { mime_type: 'image/png', data: 'AA' } } },
      tools: { function_declarations: [], google_search: {} },
    };
    const screened = screenRequest('gemini', body, NONE);
    assert.deepEqual(screened.kind === 'passed' && screened.body, {
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] }],
      tools: [{ functionDeclarations: [] }],
    });
  });

  const shapes: [wire: WireName, tools: unknown][] = [
    ['anthropic', { type: 'web_search_20250305' }],
    ['openai-responses', { type: 'web_search' }],
    ['openai-chat', { 0: { type: 'web_search' } }],
    ['gemini', [[{ googleSearch: {} }]]],
    ['gemini', 'googleSearch'],
    ['openai-responses', [f, 'web_search']],
  ];
  for (const [wire, tools] of shapes)
    test(`${wire}: ${JSON.stringify(tools)} is refused`, () =>
      assert.equal(removedOrCode(wire, { tools }), 'malformed_tools'));

  test('no tools at all pass', () => {
    for (const wire of ['anthropic', 'openai-responses', 'openai-chat', 'gemini'] as const)
      for (const tools of [undefined, null, []])
        assert.deepEqual(removedOrCode(wire, { tools }), []);
  });
});

describe('a model that searches by itself', () => {
  const models = [
    'gpt-4o-search-preview',
    'gpt-4o-mini-search-preview-2025-03-11',
    'openai/gpt-5-search-api',
    'gpt-5-search-api-2025-10-14',
    'openai/gpt-5:online',
  ];
  for (const model of models)
    test(`is refused unless searching is allowed: ${model}`, () => {
      for (const terms of [NONE, CAPPED])
        for (const wire of ['openai-chat', 'openai-responses'] as const)
          assert.equal(removedOrCode(wire, { model }, terms), 'server_tool_refused');
      const allowed = new Set(['web_search']);
      const screened = screenRequest('openai-chat', { model }, { allowed, capped: true });
      assert.ok(screened.kind === 'passed' && screened.usesServerTools);
    });

  test('is refused among several models', () =>
    assert.equal(
      removedOrCode('openai-chat', { model: 'gpt-5', models: ['gpt-5', 'gpt-5-search-api'] }),
      'server_tool_refused',
    ));

  test('is not any model with a similar name', () => {
    for (const model of ['gpt-5', 'my-research-preview', 'web-search-apiary'])
      assert.deepEqual(removedOrCode('openai-chat', { model }), []);
  });
});

const IDS_AS_NAMES = {
  file_id: { type: 'string' },
  container_id: { type: 'string' },
  vector_store_id: { type: 'string' },
};

describe('M1: an address that the provider would fetch is refused', () => {
  const image = { type: 'image', source: { type: 'url', url: SITE } };
  const cases: [wire: WireName, body: object, code: string][] = [
    ['anthropic', anthropicUser(image), 'url_refused'],
    [
      'anthropic',
      anthropicUser({ type: 'document', source: { type: 'url', url: SITE } }),
      'url_refused',
    ],
    [
      'anthropic',
      anthropicUser({ type: 'tool_result', tool_use_id: 'x', content: [image] }),
      'url_refused',
    ],
    ['anthropic', { system: [image] }, 'url_refused'],
    [
      'anthropic',
      anthropicUser({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
      'file_refused',
    ],
    ['anthropic', anthropicUser({ type: 'container_upload', file_id: 'file_1' }), 'file_refused'],
    ['openai-responses', responsesUser({ type: 'input_image', image_url: SITE }), 'url_refused'],
    ['openai-responses', responsesUser({ type: 'input_file', file_url: SITE }), 'url_refused'],
    ['openai-responses', responsesUser({ type: 'input_file', file_id: 'file-1' }), 'file_refused'],
    [
      'openai-responses',
      {
        input: [
          { type: 'function_call_output', output: [{ type: 'input_image', image_url: SITE }] },
        ],
      },
      'url_refused',
    ],
    [
      'openai-responses',
      {
        input: [
          {
            type: 'computer_call_output',
            output: { type: 'computer_screenshot', image_url: SITE },
          },
        ],
      },
      'url_refused',
    ],
    ['openai-responses', { prompt: { id: 'pmpt_1' } }, 'stored_prompt_refused'],
    ['openai-chat', chatUser({ type: 'image_url', image_url: { url: SITE } }), 'url_refused'],
    [
      'openai-chat',
      chatUser({ type: 'image_url', image_url: { url: 'ftp://example.org/x' } }),
      'url_refused',
    ],
    ['openai-chat', chatUser({ type: 'file', file: { file_id: 'file-1' } }), 'file_refused'],
    ['gemini', geminiUser({ fileData: { fileUri: SITE } }), 'url_refused'],
    ['gemini', geminiUser({ file_data: { file_uri: SITE } }), 'url_refused'],
    [
      'gemini',
      { generate_content_request: geminiUser({ file_data: { file_uri: SITE } }) },
      'url_refused',
    ],
    [
      'gemini',
      geminiUser({
        functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: SITE } }] },
      }),
      'url_refused',
    ],
  ];
  for (const [wire, body, code] of cases)
    test(`${wire}: ${JSON.stringify(body).slice(0, 120)}`, () =>
      assert.equal(removedOrCode(wire, body), code));

  const inline: [wire: WireName, body: object][] = [
    [
      'anthropic',
      anthropicUser({
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA' },
      }),
    ],
    [
      'anthropic',
      anthropicUser({
        type: 'tool_use',
        id: 'x',
        name: 'fetch',
        input: { image_url: SITE, file_id: 'x' },
      }),
    ],
    [
      'anthropic',
      anthropicUser({
        type: 'text',
        text: SITE,
        citations: [{ type: 'web_search_result_location', url: SITE }],
      }),
    ],
    [
      'openai-responses',
      responsesUser({ type: 'input_image', image_url: 'data:image/png;base64,AA' }),
    ],
    [
      'openai-chat',
      chatUser({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }),
    ],
    [
      'openai-responses',
      {
        input: [
          {
            type: 'additional_tools',
            tools: [
              { ...f, parameters: { properties: IDS_AS_NAMES, default: { file_id: 'x' } } },
              { type: 'custom', name: 'g', format: { image_url: SITE, file_id: 'x' } },
            ],
          },
        ],
      },
    ],
    [
      'openai-responses',
      {
        input: [
          {
            type: 'tool_search_output',
            tools: [{ type: 'namespace', tools: [{ ...f, parameters: { ...IDS_AS_NAMES } }] }],
          },
        ],
      },
    ],
    [
      'anthropic',
      anthropicUser({ type: 'text', text: 'x', input_schema: { default: { file_id: 'x' } } }),
    ],
    ['openai-chat', chatUser({ type: 'text', text: 'x', schema: { properties: IDS_AS_NAMES } })],
    ['gemini', geminiUser({ functionCall: { name: 'f', args: { file_uri: SITE } } })],
    ['gemini', geminiUser({ functionResponse: { name: 'f', response: { image_url: SITE } } })],
  ];
  for (const [wire, body] of inline)
    test(`and inline content passes: ${wire} ${JSON.stringify(body).slice(0, 120)}`, () =>
      assert.deepEqual(removedOrCode(wire, body), []));
});

describe('H4: under a cost cap, a request without a cost bound is refused', () => {
  const cases: [wire: WireName, body: object][] = [
    ['openai-responses', { background: true }],
    ['openai-responses', { background: 'true' }],
    ['openai-responses', { previous_response_id: 'resp_1' }],
    ['openai-responses', { conversation: { id: 'conv_1' } }],
    ['openai-responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['openai-chat', { messages: [], n: 2 }],
    ['openai-chat', { messages: [], n: '20' }],
    ['openai-chat', { messages: [], best_of: 3 }],
    ['openai-chat', { messages: [], modalities: ['text', 'audio'] }],
    ['openai-chat', { messages: [], prediction: { type: 'content', content: 'x' } }],
    ['gemini', { generationConfig: { candidateCount: 2 } }],
    ['gemini', { generation_config: { candidate_count: 2 } }],
    ['gemini', { generationConfig: { responseModalities: ['IMAGE'] } }],
    ['gemini', { cached_content: 'cachedContents/1' }],
  ];
  for (const [wire, body] of cases)
    test(`${wire}: ${JSON.stringify(body)}`, () => {
      assert.equal(removedOrCode(wire, body, CAPPED), 'cost_not_bounded');
      assert.notEqual(removedOrCode(wire, body, NONE), 'cost_not_bounded');
    });

  test('an unknown field is removed', () => {
    assert.deepEqual(removedOrCode('openai-chat', { messages: [], models: ['a', 'b'] }, CAPPED), [
      'models',
    ]);
    assert.deepEqual(removedOrCode('openai-chat', { messages: [], models: ['a', 'b'] }), []);
  });

  test('a compaction at the provider is removed, and edits that only clear stay', () => {
    const clear = { type: 'clear_tool_uses_20250919' };
    const compact = { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 } };
    const body = { context_management: { edits: [clear, compact, 'compact'] } };
    const screened = screenRequest('anthropic', body, CAPPED);
    assert.ok(screened.kind === 'passed');
    assert.deepEqual(screened.body, { context_management: { edits: [clear] } });
    assert.deepEqual(screened.removed, ['compact_20260112', 'context_management']);
    assert.deepEqual(removedOrCode('anthropic', body), []);
    for (const context_management of [{ edits: compact }, [compact], 'compact_20260112'])
      assert.deepEqual(removedOrCode('anthropic', { context_management }, CAPPED), [
        'context_management',
      ]);
  });

  test("OpenAI's compaction at the provider is removed", () => {
    const body = { context_management: [{ type: 'compaction', compact_threshold: 1000 }] };
    assert.deepEqual(removedOrCode('openai-responses', body, CAPPED), ['context_management']);
    assert.deepEqual(removedOrCode('openai-responses', body), []);
  });

  test('one field in two spellings is refused, with or without a cap', () => {
    const body = { generationConfig: {}, generation_config: {} };
    assert.equal(removedOrCode('gemini', body), 'ambiguous_field');
  });
});
