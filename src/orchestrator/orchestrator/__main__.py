"""`python -m orchestrator` is `drive-thru`."""

from orchestrator.main import main

if __name__ == "__main__":
    main()
