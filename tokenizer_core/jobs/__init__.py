"""Work in separate processes: trainings and pattern checks, their handles and their recipes."""
