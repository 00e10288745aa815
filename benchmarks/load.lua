-- Sends prepared HTTP requests in turn; the file has each one after its length.
-- With a second argument, every answer is read: that costs, so it is for no figure.
local requests = {}
local last = 0
local threads = {}
failed = 0

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  while true do
    local length = file:read("*n")
    if not length then break end
    file:read(1)
    requests[#requests + 1] = file:read(length)
  end
  file:close()
  if args[2] then response = read end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function read(status, headers, body)
  local is_error = body:find('"isError":%s*true') or body:find('"error":%s*{')
  if is_error or not body:find('"result"', 1, true) then failed = failed + 1 end
end

function done(summary, latency)
  local errors = summary.errors
  local failures = 0
  for _, thread in ipairs(threads) do failures = failures + thread:get("failed") end
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d, ' ..
      '"status": %d, "connect": %d, "read": %d, "write": %d, "timeout": %d}\n',
    summary.requests, summary.duration, failures, latency:percentile(50),
    latency:percentile(99), errors.status, errors.connect, errors.read, errors.write,
    errors.timeout))
end
