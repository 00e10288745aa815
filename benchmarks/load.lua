-- Sends prepared HTTP requests in turn; the file has each one after its length.
-- The second argument is "once" if each request is to be sent once, and not in turn. With
-- "read", every answer is read: that costs, so it is for no figure.
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } moment;
  int clock_gettime(int clock, moment *found);
  int getpid(void);
  int kill(int process, int signal);
]]
local MONOTONIC, INTERRUPT = 1, 2
local requests = {}
local last = 0
local threads = {}
local is_once = false
local has_begun = false
local began = 0
failed = 0
taken = 0

local function now()
  local found = ffi.new("moment")
  ffi.C.clock_gettime(MONOTONIC, found)
  return tonumber(found.seconds) * 1e6 + tonumber(found.nanoseconds) / 1e3
end

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
  is_once = args[2] == "once"
  if args[2] == "read" then response = read end
end

function request()
  -- The first call is made to check this script, and its request is not sent.
  if not has_begun then
    has_begun = true
    return requests[1]
  end
  if last == 0 then began = now() end
  if is_once and last == #requests then stop() end
  last = last % #requests + 1
  return requests[last]
end

function stop()
  if taken == 0 then
    taken = now() - began
    wrk.thread:stop()
    -- The main thread sleeps until the end of the duration.
    ffi.C.kill(ffi.C.getpid(), INTERRUPT)
  end
end

function read(status, headers, body)
  local is_error = body:find('"isError":%s*true') or body:find('"error":%s*{')
  if is_error or not body:find('"result"', 1, true) then failed = failed + 1 end
end

function done(summary, latency)
  local errors = summary.errors
  local failures = 0
  local microseconds = summary.duration
  for _, thread in ipairs(threads) do
    failures = failures + thread:get("failed")
    if thread:get("taken") > 0 then microseconds = thread:get("taken") end
  end
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d, ' ..
      '"status": %d, "connect": %d, "read": %d, "write": %d, "timeout": %d}\n',
    summary.requests, microseconds, failures, latency:percentile(50),
    latency:percentile(99), errors.status, errors.connect, errors.read, errors.write,
    errors.timeout))
end
