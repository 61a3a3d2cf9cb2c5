-- wrk -s requests.lua URL -- ENDPOINT FOLDER: requests of one endpoint, drawn from the lists in FOLDER.

local function lines(path)
  local found = {}
  for line in io.lines(path) do found[#found + 1] = line end
  return found
end

local function pick(list) return list[math.random(#list)] end

local function get(path, token, headers)
  headers = headers or {}
  if token then headers["Authorization"] = "Bearer " .. token end
  return wrk.format("GET", "/api/v1/" .. path, headers)
end

local function post(path, token, body)
  local headers = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json" }
  return wrk.format("POST", "/api/v1/agents/me/" .. path, headers, body)
end

local skills, personas, tokens, reviewers, words, etags

local endpoints = {
  ["list"] = function() return get("skills") end,
  ["filtered list"] = function() return get("skills?category=category-" .. math.random(20)) end,
  ["search"] = function() return get("skills?q=" .. pick(words) .. "+" .. pick(words)) end,
  ["detail"] = function() return get("skills/" .. pick(skills)) end,
  ["304"] = function()
    local path, etag = pick(etags):match("(%S+) (%S+)")
    return get(path, nil, { ["If-None-Match"] = etag })
  end,
  ["profile"] = function() return get("agents/me", pick(tokens)) end,
  ["skill install"] = function()
    return post("skills/install", pick(tokens), '{"slug": "' .. pick(skills) .. '", "runtime": "python"}')
  end,
  ["persona install"] = function()
    return post("personas/install", pick(tokens), '{"slug": "' .. pick(personas) .. '", "setActive": true}')
  end,
  ["review"] = function()
    local token, persona = pick(reviewers):match("(%S+) (%S+)")
    local rating = math.random(1, 5)
    return post("reviews", token, '{"personaSlug": "' .. persona .. '", "rating": ' .. rating .. ', "comment": "Did it well."}')
  end,
}

function init(arguments)
  local seed = io.open("/dev/urandom", "rb")
  local a, b, c = seed:read(3):byte(1, 3)
  seed:close()
  math.randomseed(a * 65536 + b * 256 + c)
  local folder = arguments[2] .. "/"
  skills, personas, tokens = lines(folder .. "skills"), lines(folder .. "personas"), lines(folder .. "tokens")
  reviewers, words = lines(folder .. "reviewers"), lines(folder .. "words")
  if arguments[1] == "304" then etags = lines(folder .. "etags") end
  request = endpoints[arguments[1]]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests": %d, "microseconds": %d, "refused": %d, "broken": %d, "p50": %d, "p99": %d}',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
