// SPDX-License-Identifier: ISC
// The OpenAI client as it comes from the registry, against the server at SERVE_URL.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.env.SERVE_URL + "/v1", apiKey: "none", maxRetries: 0 });

async function metrics() {
  return (await fetch(process.env.SERVE_URL + "/metrics")).text();
}

async function eventually(condition, what) {
  const deadline = Date.now() + 30000;
  while (!(await condition())) assert.ok(Date.now() < deadline, what);
}

async function whole_text(stream, text_of) {
  let text = "";
  let reason = null;
  let usage = null;
  let pieces = 0;
  for await (const piece of stream) {
    usage = piece.usage ?? usage;
    for (const choice of piece.choices) {
      text += text_of(choice) ?? "";
      reason = choice.finish_reason ?? reason;
      pieces += 1;
    }
  }
  return { text, reason, usage, pieces };
}

test("lists the model", async () => {
  const models = await client.models.list();
  assert.deepEqual(models.data.map((model) => model.id), ["fake"]);
});

test("a completion", async () => {
  const answer = await client.completions.create({
    model: "fake", prompt: "echo:hi there. ", max_tokens: 15,
  });
  assert.equal(answer.choices[0].text, "hi there. hi th");
  assert.equal(answer.choices[0].finish_reason, "length");
  assert.equal(answer.usage.total_tokens, 30);
});

test("a completion, streamed", async () => {
  const stream = await client.completions.create({
    model: "fake", prompt: "echo:狐と🦊 ", max_tokens: 28, stream: true,
    stream_options: { include_usage: true },
  });
  const { text, reason, usage, pieces } = await whole_text(stream, (choice) => choice.text);
  assert.equal(text, "狐と🦊 狐と🦊 狐と");
  assert.equal(reason, "length");
  assert.equal(usage.completion_tokens, 28);
  assert.ok(pieces > 3);
});

test("a chat", async () => {
  const answer = await client.chat.completions.create({
    model: "fake", stop: "|",
    messages: [{ role: "system", content: "You are." }, { role: "user", content: "echo:yes|no" }],
  });
  assert.deepEqual(answer.choices[0].message, { role: "assistant", content: "yes" });
  assert.equal(answer.choices[0].finish_reason, "stop");
});

test("a chat, streamed", async () => {
  const stream = await client.chat.completions.create({
    model: "fake", messages: [{ role: "user", content: "echo:one two three." }], stop: ["."], stream: true,
    temperature: 0, top_p: 0.5, seed: 3,
  });
  const { text, reason } = await whole_text(stream, (choice) => choice.delta.content);
  assert.equal(text, "one two three");
  assert.equal(reason, "stop");
});

test("a chat by the client's own streaming helper", async () => {
  const runner = client.beta.chat.completions.stream({
    model: "fake", messages: [{ role: "user", content: "echo:abc" }], max_tokens: 9,
  });
  assert.equal(await runner.finalContent(), "abcabcabc");
});

test("a stream that is given up ends the request", async () => {
  const stream = await client.completions.create({
    model: "fake", prompt: "x", max_tokens: 4000, stream: true,
  });
  for await (const piece of stream) {
    assert.ok(piece.choices);
    break; // the client aborts the connection
  }
  const cancelled = async () => /serve_disconnects_total 1\n/.test(await metrics());
  await eventually(cancelled, "the request is cancelled");
  await eventually(async () => /serve_sequences 0\n/.test(await metrics()), "and has gone");
});

test("a bad request is a BadRequestError with the sentence", async () => {
  const wrong = client.completions.create({ model: "fake", prompt: "x", max_tokens: 100000 });
  await assert.rejects(wrong, (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.equal(error.code, "context_length_exceeded");
    assert.match(error.message, /context is 4096 tokens/);
    return true;
  });
});

test("a model that is not there is a NotFoundError", async () => {
  const wrong = client.chat.completions.create({
    model: "gpt-4o", messages: [{ role: "user", content: "x" }],
  });
  await assert.rejects(wrong, (error) => {
    return error instanceof OpenAI.NotFoundError && error.code === "model_not_found";
  });
});

test("overload is a RateLimitError", async () => {
  const held = [];
  for (let i = 0; i < 3; ++i) {
    const request = { model: "fake", prompt: "x", max_tokens: 4000, stream: true };
    held.push(await client.completions.create(request));
    // What was handed in is taken up at the end of a step; only then is its place free for the next.
    const expected = i < 2 ? `serve_batch_ready ${i + 1}\n` : "serve_batch_mt_queued 1\n";
    await eventually(async () => (await metrics()).includes(expected), expected);
  }
  const wrong = client.completions.create({ model: "fake", prompt: "x" });
  await assert.rejects(wrong, (error) => error instanceof OpenAI.RateLimitError && error.status === 429);
  for (const stream of held) stream.controller.abort();
});
