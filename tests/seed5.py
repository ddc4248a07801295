"""Seed 5 to the letter: its blocks of TOML and the scripts that it shows."""

DEV_PIPELINE = """\
[[pipelines]]
name = "dev_pipeline"
description = "Gather context before AI processing"
[[pipelines.steps]]
name = "detect_files"
type = "once"
command = "./scripts/detect-files.sh"
timeout = 30
[[pipelines.steps]]
name = "enrich_context"
type = "once"
command = "./scripts/enrich-context.py"
timeout = 60
"""
DEVELOPER = """\
[[roles]]
name = "developer"
pipeline = "dev_pipeline" # deterministic first
workflow = "developer_workflow" # then AI-driven
"""
ONCE = """\
[[pipelines.steps]]
name = "gather"
type = "once"
command = "./scripts/gather-context.sh"
timeout = 30
"""
LOOP = """\
[[pipelines.steps]]
name = "resolve"
type = "loop"
max_iterations = 5
exit_pattern = "RESOLVED"
[[pipelines.steps.substeps]]
name = "resolve_one"
type = "once"
command = "./scripts/resolve-dep.sh"
"""
FOREACH = """\
[[pipelines.steps]]
name = "lint_all"
type = "foreach"
parse_pattern = "FILE: (.*)"
[[pipelines.steps.substeps]]
name = "lint_one"
type = "once"
command = "./scripts/lint-file.sh"
"""
CONDITIONAL = """\
[[pipelines.steps]]
name = "classify"
type = "conditional"
command = "./scripts/classify-task.sh"
condition_pattern = "COMPLEX"
on_match = ["./scripts/deep-analysis.sh"]
on_no_match = ["./scripts/quick-scan.sh"]
"""
DETECT_FILES = """\
#!/bin/bash
# scripts/detect-files.sh
# Reads user message from stdin, outputs relevant files
INPUT=$(cat)
# Find files related to the user's request
echo "$INPUT"
echo ""
echo "Relevant files:"
rg -l "$(echo "$INPUT" | head -1)" --type rust 2>/dev/null | head -20
"""
ENRICH_CONTEXT = """\
#!/usr/bin/env python3
# scripts/enrich-context.py
# Reads previous step's output from stdin, adds git context
import sys
import subprocess
input_text = sys.stdin.read()
print(input_text)
print("\\nRecent commits:")
result = subprocess.run(["git", "log", "--oneline", "-5"], capture_output=True, text=True)
print(result.stdout)
"""
WORKFLOW = '[[workflows]]\nname = "developer_workflow"\n[[workflows.steps]]\nname = "refine"\nprompt = "refine.md"\n'
"""What the seed's role names and the seed does not define."""
TYPES = '[[pipelines]]\nname = "types"\n'
"""A pipeline around the blocks that are steps alone."""
